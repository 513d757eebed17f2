#include "preprocess/report/box_sizes.h"

#include <algorithm>

namespace letterpress {
namespace {

void add_row(const ShardReader& shard, std::int64_t row, std::vector<std::array<float, 2>>& sizes) {
  const std::span<const float> boxes = shard.boxes(row);
  for (std::size_t i = 0; i < static_cast<std::size_t>(shard.box_count(row)); ++i) {
    const float* const box = boxes.data() + 5 * i;
    sizes.push_back({box[2] - box[0], box[3] - box[1]});
  }
}

}  // namespace

std::vector<std::array<float, 2>> box_sizes(const SnapshotReader& reader, const std::string& split, RowKind rows) {
  std::vector<std::array<float, 2>> sizes;
  for (const PictureRows& picture : reader.pictures(split)) {
    if (rows != RowKind::augmented) add_row(reader.shard(picture.clean.shard), picture.clean.row, sizes);
    if (rows == RowKind::clean) continue;
    for (const RowPlace& place : picture.augmented) add_row(reader.shard(place.shard), place.row, sizes);
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

}  // namespace letterpress
