#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "letterpress/shards/shard.h"
#include "trainer/loader/host_batch.h"
#include "trainer/loader/image_memory.h"
#include "trainer/loader/loader_options.h"
#include "trainer/loader/pixels/row_sink.h"

namespace letterpress {

/// Memory for one batch, and how far its reading is. The constructor allocates all of it, and every
/// batch uses it again. Between plan() and complete() its rows belong to the readers, one row to
/// one reader; else all of it belongs to the consumer.
class BatchSlot {
 public:
  /// image_bytes: of one row in the shard. memory: the owners are all slots of the loader. Throws
  /// Error when there is no memory.
  BatchSlot(const LoaderOptions& options, std::int64_t image_bytes, int max_boxes,
            std::shared_ptr<ImageMemory> memory);

  void plan(std::vector<WantedRow> wants);  ///< at most LoaderOptions::batch
  const std::vector<WantedRow>& wants() const noexcept { return wants_; }
  std::uint8_t* image(std::size_t row) noexcept {
    return batch_.images + static_cast<std::int64_t>(row) * row_bytes_;
  }
  void fill_tables(std::size_t row, const ShardReader& shard);
  void fill_padding(std::size_t row, RowSink& sink, int grey);

  /// Keeps the failure of the batch's first bad row, whichever reader reports first.
  void fail(std::size_t row, std::exception_ptr error);
  /// Uses up one of LoaderOptions::batch tickets, with or without a row. True for the last: the
  /// batch is complete.
  bool finish_ticket() noexcept {
    return open_tickets_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  bool complete() const noexcept { return open_tickets_.load(std::memory_order_acquire) == 0; }
  const HostBatch& batch() const;  ///< throws the failure
  /// The batch's images; the slot goes on with other memory. Throws Error when there is none.
  ImageMemory::Block give_images();

 private:
  std::int64_t image_bytes_, row_bytes_;  ///< of a row in the shard, in the batch
  std::size_t capacity_, max_boxes_;
  std::shared_ptr<ImageMemory> memory_;
  ImageMemory::Block images_;
  HostBatch batch_;
  std::vector<WantedRow> wants_;
  std::atomic<std::size_t> open_tickets_ = 0;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  std::size_t failed_row_ = 0;
};

}  // namespace letterpress
