#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "trainer/loader/batch_slot.h"
#include "trainer/loader/cache_advice.h"
#include "trainer/loader/loader_options.h"
#include "trainer/loader/rows/read_choice.h"
#include "trainer/loader/rows/row_files.h"
#include "trainer/loader/rows/row_source.h"
#include "trainer/loader/rows/touched_rows.h"

namespace letterpress {

/// What a reader thread does. Either the reader or the loader's destructor moves `phase` away from
/// reading; that decides whether the read still counts.
struct alignas(64) ReaderThread {
  enum Phase { idle, reading, abandoned, finished };
  std::atomic<Phase> phase = idle;
  std::atomic<std::chrono::steady_clock::rep> started = 0;
  std::atomic<std::int64_t> ticket = 0;
  std::unique_ptr<RowSource> source;  ///< the thread takes it
  std::thread thread;
};

/// Ticket t is row t mod B of batch t / B, counted from the first batch. Readers take tickets from
/// one atomic counter, as many ahead as their RowSource can begin. Batch k is in slot k mod
/// buffers. The consumer plans batches in order as slots become free; readers wait only for a batch
/// that is not planned, and only while they hold no ticket.
struct LoaderState : std::enable_shared_from_this<LoaderState> {
  using Clock = std::chrono::steady_clock;

  LoaderState(const SnapshotReader& reader, BatchSequence sequence_, std::int64_t first_batch_,
              const LoaderOptions& options_)
      : options(options_),
        clock(options_.clock ? *options_.clock : steady_clock),
        deadline(std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(std::min(options_.deadline_s, 1e8)))),
        choice(choose_read(options_.read,
                           examine_reading(reader, options_.pixels != PixelType::bytes))),
        rows(reader, choice.by),
        touched(rows.rows_of_shards()),
        sequence(std::move(sequence_)),
        first_batch(first_batch_),
        advice(rows, options, [this](std::int64_t b) { return sequence(first_batch + b); }) {
    const auto memory = std::make_shared<ImageMemory>(
        options,
        static_cast<std::size_t>(options.batch * rows.image_bytes() * bytes_of(options.pixels)));
    for (int i = 0; i < options.buffers; ++i)
      slots.emplace_back(options, rows.image_bytes(), rows.max_boxes(), memory);
    for (int i = 0; i < options.buffers; ++i) plan_next();
  }

  // Consumer.
  void start();
  void stop();
  void plan_next();
  void wait_for(std::int64_t batch);
  Clock::time_point check_deadlines(std::int64_t batch, Clock::time_point since) const;
  void call_while_waiting();
  BatchSlot& slot(std::int64_t batch) {
    return slots[static_cast<std::size_t>(batch) % slots.size()];
  }

  // Readers: reader.cpp.
  void run(ReaderThread& self);
  std::optional<std::int64_t> take_ticket(bool wait);
  bool is_trusted(const RowPlace& place) const;
  void complete_ticket(std::int64_t ticket);
  std::size_t row_of_ticket(std::int64_t ticket) const {
    return static_cast<std::size_t>(ticket % options.batch);
  }

  const LoaderOptions options;
  LoaderClock steady_clock;
  LoaderClock& clock;
  const Clock::duration deadline;
  const ReadChoice choice;
  const RowFiles rows;
  TouchedRows touched;
  const BatchSequence sequence;
  const std::int64_t first_batch;
  CacheAdvice advice;
  std::deque<BatchSlot> slots;
  std::deque<ReaderThread> readers;

  std::mutex mutex;  // for waiting and waking only
  std::condition_variable planned_more, batch_complete, reader_finished;
  std::atomic<std::int64_t> next_ticket = 0;
  std::atomic<std::int64_t> planned = 0;  ///< batches below are planned
  std::atomic<std::int64_t> end = std::numeric_limits<std::int64_t>::max();
  std::atomic<bool> stopping = false;

  std::int64_t taken = 0;  ///< batches that the consumer got
  bool given_up = false;   ///< the consumer no longer waits for reads
  bool broken = false;     ///< the sequence threw: nothing after that batch is planned
  std::atomic<Clock::rep> waited = 0;
};

}  // namespace letterpress
