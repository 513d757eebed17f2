#include "trainer/loader/batch_loader.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

#include "letterpress/base/cores.h"
#include "letterpress/base/error.h"
#include "trainer/loader/loader_state.h"
#include "trainer/loader/rows/sources.h"

namespace letterpress {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{100};  // while the consumer waits
// What overslept so long was stopped (Ctrl-Z, a frozen container), and the readers with it.
constexpr std::chrono::seconds kWasStopped{2};

std::string to_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", seconds);
  return text.data();
}

void validate(const LoaderOptions& options) {
  const auto refuse = [](const std::string& what) {
    throw Error({.where = "batch loader", .what = what}, Exit::configuration);
  };
  if (options.batch < 1)
    refuse("batch is " + std::to_string(options.batch) + ", must be 1 or more");
  if (options.threads < 0)
    refuse("threads is " + std::to_string(options.threads) + ", must be 0 (min(4, cores)) or more");
  if (options.buffers < 2)
    refuse("buffers is " + std::to_string(options.buffers) +
           ", must be 2 or more: one is read while one is used");
  if (!options.allocate != !options.release)
    refuse("allocate and release must be given together or not at all");
  if (options.advise < 0)
    refuse("advise is " + std::to_string(options.advise) + " batches, must be 0 or more");
  if (!(options.deadline_s > 0))
    refuse("deadline_s is " + to_text(options.deadline_s) + ", must be more than 0");
}

}  // namespace

int reader_count(const LoaderOptions& options) {
  if (options.threads > 0) return options.threads;
  return std::min(4, available_cores());
}

VerifyRows verify_rows_from(const std::string& name) {
  const auto* const found = std::find(kVerifyNames.begin(), kVerifyNames.end(), name);
  if (found != kVerifyNames.end()) return static_cast<VerifyRows>(found - kVerifyNames.begin());
  throw Error("--verify is '" + name + "', must be first, always or never", Exit::usage);
}

void LoaderState::start() {
  const int count = reader_count(options);
  for (int i = 0; i < count; ++i) {
    ReaderThread& reader = readers.emplace_back();
    reader.source =
        make_source(rows, [&reader] { return reader.phase == ReaderThread::abandoned; });
  }
  for (ReaderThread& reader : readers)
    reader.thread = std::thread([self = shared_from_this(), &reader] { self->run(reader); });
}

void LoaderState::stop() {
  {
    const std::lock_guard lock(mutex);
    stopping = true;
  }
  planned_more.notify_all();
  for (ReaderThread& reader : readers) {
    if (!reader.thread.joinable()) continue;
    std::unique_lock lock(mutex);
    while (reader.phase != ReaderThread::finished) {
      // The phase is read first: then `started` belongs to that read, and no reader begins another
      // one after `stopping`.
      ReaderThread::Phase expected = ReaderThread::reading;
      const bool reads = reader.phase == expected;
      const Clock::time_point limit =
          Clock::time_point(Clock::duration(reader.started.load())) + deadline;
      if (reads && (given_up || Clock::now() >= limit) &&
          reader.phase.compare_exchange_strong(expected, ReaderThread::abandoned))
        break;
      reader_finished.wait_until(lock,
                                 std::max(limit, Clock::now() + std::chrono::milliseconds(10)));
    }
    lock.unlock();
    if (reader.phase == ReaderThread::abandoned)
      reader.thread.detach();
    else
      reader.thread.join();
  }
}

void LoaderState::plan_next() {
  const std::int64_t batch = planned.load(std::memory_order_relaxed);
  if (broken || batch >= end) return;
  BatchSlot& target = slot(batch);
  std::vector<WantedRow> wants;
  try {
    wants = sequence(first_batch + batch);
    for (const WantedRow& want : wants)
      if (want.sample >= 0 && !rows.contains(want.row))
        throw std::logic_error("the sequence asks for row " + std::to_string(want.row.row) +
                               " of shard " + std::to_string(want.row.shard) +
                               ", which the snapshot does not have");
    advice.plan(batch);
    const bool last = wants.empty();
    target.plan(std::move(wants));
    if (last) end = batch;
  } catch (...) {
    broken = true;
    target.plan({});
    target.fail(0, std::current_exception());
  }
  {
    const std::lock_guard lock(mutex);
    clock.planned(batch);
    planned.store(batch + 1, std::memory_order_release);
  }
  planned_more.notify_all();
}

/// Throws when a read of `batch` is past its deadline, which counts from `since` at the earliest;
/// else returns when the next one will be.
LoaderState::Clock::time_point LoaderState::check_deadlines(std::int64_t batch,
                                                            Clock::time_point since) const {
  const Clock::time_point now = Clock::now();
  Clock::time_point next = now + deadline;
  for (const ReaderThread& reader : readers) {
    const Clock::rep started = reader.started;
    const std::int64_t ticket = reader.ticket;
    // A reader that went on in between has another `started`: then ticket and start do not belong
    // together.
    if (reader.phase != ReaderThread::reading || reader.started != started ||
        ticket / options.batch != batch)
      continue;
    const Clock::time_point limit =
        std::max(Clock::time_point(Clock::duration(started)), since) + deadline;
    if (limit <= now) {
      const BatchSlot& late = slots[static_cast<std::size_t>(batch) % slots.size()];
      const WantedRow& want = late.wants()[static_cast<std::size_t>(ticket % options.batch)];
      throw Error({.where = rows.describe(want.row),
                   .what = "a read has taken more than " + to_text(options.deadline_s) + " s",
                   .fix = "does the disk or its network mount hang? read the file by hand, or copy "
                          "the store to a local disk"},
                  Exit::io);
    }
    next = std::min(next, limit);
  }
  return next;
}

void LoaderState::wait_for(std::int64_t batch) {
  const BatchSlot& wanted = slot(batch);
  if (wanted.complete() && !options.clock) return;
  struct Stopwatch {  // also when a deadline throws
    std::atomic<Clock::rep>& total;
    LoaderClock& clock;
    std::int64_t batch;
    Clock::time_point begin = clock.now();
    ~Stopwatch() { total += (clock.arrived(batch) - begin).count(); }
  } stopwatch{waited, clock, batch};
  std::unique_lock lock(mutex);
  Clock::time_point since = Clock::now();
  while (!wanted.complete()) {
    const Clock::time_point limit = check_deadlines(batch, since), looked = Clock::now();
    batch_complete.wait_until(lock, std::min(limit, looked + kBetweenLooks));
    if (Clock::now() - looked > kWasStopped) since = Clock::now();
    if (!options.while_waiting || wanted.complete()) continue;
    lock.unlock();
    call_while_waiting();
    lock.lock();
  }
}

void LoaderState::call_while_waiting() {
  try {
    options.while_waiting();
  } catch (...) {
    given_up = true;
    throw;
  }
}

BatchLoader::BatchLoader(const SnapshotReader& reader, BatchSequence sequence,
                         std::int64_t first_batch, const LoaderOptions& options) {
  validate(options);
  state_ = std::make_shared<LoaderState>(reader, std::move(sequence), first_batch, options);
  try {
    state_->start();
  } catch (...) {
    state_->stop();
    throw;
  }
}

BatchLoader::~BatchLoader() { state_->stop(); }

const HostBatch* BatchLoader::next() {
  LoaderState& state = *state_;
  // The consumer is done with the batch before this one: plan its slot anew before any wait.
  if (state.planned < state.taken + state.options.buffers) state.plan_next();
  if (state.taken >= state.end) return nullptr;
  state.wait_for(state.taken);
  const HostBatch& batch = state.slot(state.taken).batch();
  ++state.taken;
  return &batch;
}

ImageMemory::Block BatchLoader::take_images() {
  return state_->slot(state_->taken - 1).give_images();
}

BatchShape BatchLoader::shape() const noexcept {
  return {state_->options.batch, state_->rows.side(), state_->rows.max_boxes(),
          state_->options.pixels};
}
const ReadChoice& BatchLoader::read_choice() const noexcept { return state_->choice; }
double BatchLoader::waited_s() const noexcept {
  return std::chrono::duration<double>(LoaderState::Clock::duration(state_->waited.load())).count();
}

}  // namespace letterpress
