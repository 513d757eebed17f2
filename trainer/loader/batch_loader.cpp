#include "trainer/loader/batch_loader.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "letterpress/base/error.h"
#include "trainer/loader/batch_slot.h"
#include "trainer/loader/row_reader.h"
#include "trainer/loader/touched_rows.h"

namespace letterpress {
namespace {

using Clock = std::chrono::steady_clock;

std::string to_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", seconds);
  return text.data();
}

void validate(const LoaderOptions& options) {
  const auto refuse = [](const std::string& what) { throw Error("batch loader: " + what, Exit::configuration); };
  if (options.batch < 1) refuse("batch is " + std::to_string(options.batch) + ", at least 1 is needed");
  if (options.threads < 0) refuse("threads is " + std::to_string(options.threads) + "; 0 means min(4, cores)");
  if (options.buffers < 2)
    refuse("buffers is " + std::to_string(options.buffers) + ", at least 2 are needed: one is read while one is used");
  if (!options.allocate != !options.release) refuse("allocate and release are given together or not at all");
  if (!(options.deadline_s > 0)) refuse("deadline_s is " + to_text(options.deadline_s) + ", more than 0 is needed");
}

int reader_count(const LoaderOptions& options) {
  if (options.threads > 0) return options.threads;
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 4u));
}

/// A reader thread's whereabouts. Who moves `phase` away from reading, the reader or the loader's destructor, decides whether the
/// read still counts.
struct alignas(64) ReaderPhase {
  enum Phase { idle, reading, abandoned, finished };
  std::atomic<Phase> phase = idle;
  std::atomic<Clock::rep> started = 0;
  std::atomic<std::int64_t> ticket = 0;
  std::thread thread;
};

}  // namespace

/// Ticket t stands for row t mod B of batch t / B, counted from the first; readers draw tickets from one atomic counter. Batch k lives in
/// slot k mod buffers. The consumer plans batches in order as slots become free; readers wait only for a batch that is not planned.
struct BatchLoader::State : std::enable_shared_from_this<State> {
  State(const SnapshotReader& reader, Sequence sequence_, std::int64_t first_batch_, const LoaderOptions& options_)
      : options(options_),
        deadline(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(options_.deadline_s, 1e8)))),
        rows(reader),
        touched(rows.rows_of_shards()),
        sequence(std::move(sequence_)),
        first_batch(first_batch_) {
    for (int i = 0; i < options.buffers; ++i) slots.emplace_back(options, rows.image_bytes(), rows.max_boxes());
    for (int i = 0; i < options.buffers; ++i) plan_next();
  }

  // Consumer.
  void start();
  void stop();
  void plan_next();
  void wait_for(std::int64_t batch);
  Clock::time_point check_deadlines(std::int64_t batch) const;
  BatchSlot& slot(std::int64_t batch) { return slots[static_cast<std::size_t>(batch) % slots.size()]; }

  // Readers.
  void run(ReaderPhase& self);
  bool wait_until_planned(std::int64_t batch);
  bool fill(ReaderPhase& self, std::int64_t ticket, BatchSlot& slot, std::size_t row);
  void check_and_label(BatchSlot& slot, std::size_t row);

  const LoaderOptions options;
  const Clock::duration deadline;
  const RowReader rows;
  TouchedRows touched;
  const Sequence sequence;
  const std::int64_t first_batch;
  std::deque<BatchSlot> slots;
  std::deque<ReaderPhase> readers;

  std::mutex mutex;  // for sleeping and waking only
  std::condition_variable planned_more, batch_complete, reader_finished;
  std::atomic<std::int64_t> next_ticket = 0;
  std::atomic<std::int64_t> planned = 0;  ///< batches below are planned
  std::atomic<std::int64_t> end = std::numeric_limits<std::int64_t>::max();
  std::atomic<bool> stopping = false;

  std::int64_t taken = 0;  ///< batches handed to the consumer
  bool broken = false;     ///< the sequence threw: nothing after that batch is planned
  std::atomic<Clock::rep> waited = 0;
};

void BatchLoader::State::start() {
  const int count = reader_count(options);
  for (int i = 0; i < count; ++i) readers.emplace_back();
  for (ReaderPhase& reader : readers) reader.thread = std::thread([self = shared_from_this(), &reader] { self->run(reader); });
}

void BatchLoader::State::stop() {
  {
    const std::lock_guard lock(mutex);
    stopping = true;
  }
  planned_more.notify_all();
  for (ReaderPhase& reader : readers) {
    if (!reader.thread.joinable()) continue;
    std::unique_lock lock(mutex);
    while (reader.phase != ReaderPhase::finished) {
      // The phase first: `started` is then that read's, and no reader begins another one after `stopping`.
      ReaderPhase::Phase expected = ReaderPhase::reading;
      const bool reads = reader.phase == expected;
      const Clock::time_point limit = Clock::time_point(Clock::duration(reader.started.load())) + deadline;
      if (reads && Clock::now() >= limit && reader.phase.compare_exchange_strong(expected, ReaderPhase::abandoned)) break;
      reader_finished.wait_until(lock, std::max(limit, Clock::now() + std::chrono::milliseconds(10)));
    }
    lock.unlock();
    if (reader.phase == ReaderPhase::abandoned)
      reader.thread.detach();
    else
      reader.thread.join();
  }
}

void BatchLoader::State::plan_next() {
  const std::int64_t batch = planned.load(std::memory_order_relaxed);
  if (broken || batch >= end) return;
  BatchSlot& target = slot(batch);
  std::vector<Want> wants;
  try {
    wants = sequence(first_batch + batch);
    for (const Want& want : wants)
      if (want.sample >= 0 && !rows.contains(want.row))
        throw std::logic_error("the sequence asks for row " + std::to_string(want.row.row) + " of shard " + std::to_string(want.row.shard) +
                               ", which the snapshot does not have");
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
    planned.store(batch + 1, std::memory_order_release);
  }
  planned_more.notify_all();
}

/// Throws when a read of `batch` is past its deadline; else when the next one will be.
Clock::time_point BatchLoader::State::check_deadlines(std::int64_t batch) const {
  const Clock::time_point now = Clock::now();
  Clock::time_point next = now + deadline;
  for (const ReaderPhase& reader : readers) {
    const Clock::rep started = reader.started;
    const std::int64_t ticket = reader.ticket;
    // A reader that has gone on in between has another `started`, so what was read belongs together.
    if (reader.phase != ReaderPhase::reading || reader.started != started || ticket / options.batch != batch) continue;
    const Clock::time_point limit = Clock::time_point(Clock::duration(started)) + deadline;
    if (limit <= now) {
      const BatchSlot& late = slots[static_cast<std::size_t>(batch) % slots.size()];
      const Want& want = late.wants()[static_cast<std::size_t>(ticket % options.batch)];
      throw Error(rows.describe(want.row) + ": a read has taken more than " + to_text(options.deadline_s) +
                      " s; does the disk or its network mount hang? read the file by hand, or copy the store to a local disk",
                  Exit::io);
    }
    next = std::min(next, limit);
  }
  return next;
}

void BatchLoader::State::wait_for(std::int64_t batch) {
  const BatchSlot& wanted = slot(batch);
  if (wanted.complete()) return;
  const Clock::time_point begin = Clock::now();
  struct Stopwatch {  // also when a deadline throws
    std::atomic<Clock::rep>& total;
    Clock::time_point begin;
    ~Stopwatch() { total += (Clock::now() - begin).count(); }
  } stopwatch{waited, begin};
  std::unique_lock lock(mutex);
  while (!wanted.complete()) batch_complete.wait_until(lock, check_deadlines(batch));
}

void BatchLoader::State::run(ReaderPhase& self) {
  for (;;) {
    const std::int64_t ticket = next_ticket.fetch_add(1, std::memory_order_relaxed);
    const std::int64_t batch = ticket / options.batch;
    if (!wait_until_planned(batch)) break;
    BatchSlot& target = slot(batch);
    const auto row = static_cast<std::size_t>(ticket % options.batch);
    if (row < target.wants().size() && !fill(self, ticket, target, row)) return;
    if (!target.finish_ticket()) continue;
    { const std::lock_guard lock(mutex); }  // the consumer either sees the batch complete or is asleep by now
    batch_complete.notify_one();
  }
  const std::lock_guard lock(mutex);
  self.phase = ReaderPhase::finished;
  reader_finished.notify_one();
}

/// False: there is no such batch, or the loader stops.
bool BatchLoader::State::wait_until_planned(std::int64_t batch) {
  const auto known = [&] { return stopping || planned.load(std::memory_order_acquire) > batch || batch >= end; };
  if (!known()) {
    std::unique_lock lock(mutex);
    planned_more.wait(lock, known);
  }
  return !stopping && batch < end;
}

/// False: the destructor gave this reader up while it read; only the State may be touched from then on.
bool BatchLoader::State::fill(ReaderPhase& self, std::int64_t ticket, BatchSlot& target, std::size_t row) {
  const Want& want = target.wants()[row];
  if (want.sample < 0) {
    target.fill_padding(row, rows.fill());
    return true;
  }
  std::exception_ptr seam_failure;
  std::optional<RowReader::Failure> failure;
  self.ticket = ticket;
  self.started = Clock::now().time_since_epoch().count();
  self.phase = ReaderPhase::reading;
  try {
    if (options.before_read) options.before_read(want.row);
    failure = rows.read(want.row, target.image(row));
  } catch (...) {
    seam_failure = std::current_exception();
  }
  ReaderPhase::Phase expected = ReaderPhase::reading;
  if (!self.phase.compare_exchange_strong(expected, ReaderPhase::idle)) return false;
  try {
    if (seam_failure) std::rethrow_exception(seam_failure);
    if (failure) rows.raise(want.row, *failure);
    check_and_label(target, row);
  } catch (...) {
    target.fail(row, std::current_exception());
  }
  return true;
}

void BatchLoader::State::check_and_label(BatchSlot& target, std::size_t row) {
  const RowPlace& place = target.wants()[row].row;
  const ShardReader& shard = rows.shard(place);
  const bool trusted = options.verify == VerifyRows::never || (options.verify == VerifyRows::first && touched.contains(place));
  if (!trusted) {
    shard.verify_row(place.row, {target.image(row), static_cast<std::size_t>(rows.image_bytes())});
    touched.insert(place);
  }
  target.fill_tables(row, shard);
}

BatchLoader::BatchLoader(const SnapshotReader& reader, Sequence sequence, std::int64_t first_batch, const LoaderOptions& options) {
  validate(options);
  state_ = std::make_shared<State>(reader, std::move(sequence), first_batch, options);
  try {
    state_->start();
  } catch (...) {
    state_->stop();
    throw;
  }
}

BatchLoader::~BatchLoader() { state_->stop(); }

const HostBatch* BatchLoader::next() {
  State& state = *state_;
  // The consumer is done with the batch before this one: its slot is planned anew before anything is waited for.
  if (state.planned < state.taken + state.options.buffers) state.plan_next();
  if (state.taken >= state.end) return nullptr;
  state.wait_for(state.taken);
  const HostBatch& batch = state.slot(state.taken).batch();
  ++state.taken;
  return &batch;
}

BatchShape BatchLoader::shape() const noexcept { return {state_->options.batch, state_->rows.side(), state_->rows.max_boxes()}; }
double BatchLoader::waited_s() const noexcept { return std::chrono::duration<double>(Clock::duration(state_->waited.load())).count(); }

}  // namespace letterpress
