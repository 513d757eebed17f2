#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/shards/snapshot.h"
#include "letterpress/shards/store.h"

namespace letterpress {

/// The statistics of a snapshot: largest M, boxes per class and sizes (of the living clean rows of
/// all splits), anchors (over the boxes of all train rows, box_sizes()). Its shards come one after
/// another, so that the tables of one are in memory at a time.
class BoxStatistics {
 public:
  explicit BoxStatistics(const Snapshot& snapshot);  ///< the caller's, outlives this

  void add(const ShardReader& shard, const SnapshotShard& described);
  /// After the last shard. channel_mean stays zero: ChannelCounter.
  Statistics take();

 private:
  struct TrainRow {
    Hash128 picture;
    std::int32_t tile = 0, view = 0, boxes = 0;
    std::size_t first_box = 0;  ///< in train_sizes_
  };
  using Sizes = std::vector<std::array<float, 2>>;

  void count(const ShardReader& shard, std::int64_t row);
  void keep_sizes(const ShardReader& shard, std::int64_t row);
  Sizes sizes_in_order(std::size_t most);

  const std::vector<std::string>& classes_;
  Statistics statistics_;
  std::vector<TrainRow> train_rows_;
  Sizes train_sizes_;
};

}  // namespace letterpress
