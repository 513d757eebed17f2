#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "letterpress/base/reject.h"
#include "letterpress/shards/plan.h"
#include "letterpress/shards/shard.h"
#include "preprocess/map/map_task.h"

namespace letterpress {

/// A planned shard while its rows are written, by any thread in any order. Its file exists from the
/// first row on. task, shard: the caller's, outlive this.
class ShardBuilder {
 public:
  ShardBuilder(const MapTask& task, const PlannedShard& shard);

  /// Sums of the channels of a clean row; of other rows 0.
  struct Sums {
    std::array<std::uint64_t, 3> channels{};
    std::int64_t pixels = 0;
  };
  /// Writes a row. Thread-safe for different rows. Until it is settled it may be written again, or
  /// as a dead one.
  Sums put(std::int64_t index, const ShardRow& row, std::span<const std::uint8_t> image);
  /// What was put stays; its sums are added to the shard's.
  void settle(std::int64_t index, const Sums& sums);
  /// Writes and settles a row that holds no picture, and keeps why.
  void write_dead(std::int64_t index, const ShardRow& row, std::span<const std::uint8_t> image,
                  const Reject& reject);
  /// Counts a row as written; true for the last one.
  bool row_done() noexcept { return left_.fetch_sub(1) == 1; }

  /// After the last row: makes the shard durable under its name, then its record under the plan's
  /// folder as `number`, and closes the file.
  void finish(std::int32_t number);

 private:
  ShardWriter& writer();

  const MapTask& task_;
  const PlannedShard& shard_;
  std::once_flag opened_;
  std::unique_ptr<ShardWriter> writer_;
  std::atomic<std::int64_t> left_;
  // Whole numbers, so that the sums do not depend on the order of the rows.
  std::array<std::atomic<std::uint64_t>, 3> channel_sum_{};
  std::atomic<std::int64_t> pixels_{0};
  std::mutex dead_mutex_;
  std::vector<ShardRecord::Dead> dead_;
};

}  // namespace letterpress
