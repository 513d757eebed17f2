#include <deque>
#include <exception>

#include "trainer/loader/loader_state.h"

namespace letterpress {
namespace {

/// The work of one reader thread. All parts of a read that may hang are between begin_reading() and
/// end_reading().
class Reader {
 public:
  Reader(LoaderState& state, ReaderThread& thread)
      : state_(state),
        thread_(thread),
        sink_(state.options.pixels, state.rows.image_bytes()),
        source_(std::move(thread.source)) {}

  /// False: the loader's destructor abandoned this reader; from then on only the state may be used.
  bool run();

 private:
  bool begin(std::int64_t ticket);
  bool finish(std::int64_t ticket);
  void check_and_label(BatchSlot& slot, std::size_t row);
  void begin_reading(std::int64_t ticket);
  bool end_reading();

  LoaderState& state_;
  ReaderThread& thread_;
  RowSink sink_;
  std::unique_ptr<RowSource> source_;
  std::deque<std::int64_t> begun_;
};

bool Reader::run() {
  for (;;) {
    while (begun_.size() < source_->depth()) {
      const std::optional<std::int64_t> ticket = state_.take_ticket(begun_.empty());
      if (!ticket) break;
      if (!begin(*ticket)) return false;
    }
    if (begun_.empty() || state_.stopping) break;
    const std::int64_t ticket = begun_.front();
    begun_.pop_front();
    if (!finish(ticket)) return false;
    state_.complete_ticket(ticket);
  }
  // Reads begun ahead end here when the loader stops early; that may hang too.
  begin_reading(begun_.empty() ? 0 : begun_.front());
  source_.reset();
  return end_reading();
}

bool Reader::begin(std::int64_t ticket) {
  begun_.push_back(ticket);
  const auto& wants = state_.slot(ticket / state_.options.batch).wants();
  const std::size_t row = state_.row_of_ticket(ticket);
  if (row >= wants.size() || wants[row].sample < 0) return true;
  begin_reading(ticket);
  source_->begin(wants[row].row);
  return end_reading();
}

bool Reader::finish(std::int64_t ticket) {
  BatchSlot& slot = state_.slot(ticket / state_.options.batch);
  const std::size_t row = state_.row_of_ticket(ticket);
  if (row >= slot.wants().size()) return true;
  const WantedRow& want = slot.wants()[row];
  if (want.sample < 0) {
    slot.fill_padding(row, sink_, state_.rows.fill());
    return true;
  }
  std::exception_ptr thrown;
  sink_.start(slot.image(row), !state_.is_trusted(want.row));
  begin_reading(ticket);
  state_.advice.pass_on(ticket / state_.options.batch);
  try {
    if (state_.options.before_read) state_.options.before_read(want.row);
  } catch (...) {
    thrown = std::current_exception();
  }
  const std::optional<RowFailure> failure = source_->finish(sink_);
  if (!end_reading()) return false;
  try {
    if (thrown) std::rethrow_exception(thrown);
    if (failure) state_.rows.raise(want.row, *failure);
    check_and_label(slot, row);
  } catch (...) {
    slot.fail(row, std::current_exception());
  }
  return true;
}

void Reader::check_and_label(BatchSlot& slot, std::size_t row) {
  const RowPlace& place = slot.wants()[row].row;
  const ShardReader& shard = state_.rows.shard(place);
  if (std::optional<Hasher> pixels = sink_.take_hash()) {
    shard.verify_row(place.row, std::move(*pixels));
    state_.touched.insert(place);
  }
  slot.fill_tables(row, shard);
}

void Reader::begin_reading(std::int64_t ticket) {
  thread_.ticket = ticket;
  thread_.started = LoaderState::Clock::now().time_since_epoch().count();
  thread_.phase = ReaderThread::reading;
}

bool Reader::end_reading() {
  ReaderThread::Phase expected = ReaderThread::reading;
  return thread_.phase.compare_exchange_strong(expected, ReaderThread::idle);
}

}  // namespace

void LoaderState::run(ReaderThread& self) {
  if (!Reader(*this, self).run()) return;
  const std::lock_guard lock(mutex);
  self.phase = ReaderThread::finished;
  reader_finished.notify_one();
}

/// Nothing when the loader stops or its sequence has ended; without `wait` also when no further
/// batch is planned.
std::optional<std::int64_t> LoaderState::take_ticket(bool wait) {
  for (std::int64_t ticket = next_ticket.load(std::memory_order_relaxed);;) {
    const std::int64_t batch = ticket / options.batch;
    if (stopping || batch >= end) return std::nullopt;
    if (planned.load(std::memory_order_acquire) > batch) {
      if (next_ticket.compare_exchange_weak(ticket, ticket + 1, std::memory_order_relaxed))
        return ticket;
      continue;
    }
    if (!wait) return std::nullopt;
    std::unique_lock lock(mutex);
    planned_more.wait(lock, [&] {
      return stopping || planned.load(std::memory_order_acquire) > batch || batch >= end;
    });
    lock.unlock();
    ticket = next_ticket.load(std::memory_order_relaxed);
  }
}

bool LoaderState::is_trusted(const RowPlace& place) const {
  return options.verify == VerifyRows::never ||
         (options.verify == VerifyRows::first && touched.contains(place));
}

void LoaderState::complete_ticket(std::int64_t ticket) {
  if (!slot(ticket / options.batch).finish_ticket()) return;
  {
    const std::lock_guard lock(mutex);
  }  // the consumer now either sees the batch complete or already waits
  batch_complete.notify_one();
}

}  // namespace letterpress
