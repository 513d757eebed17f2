#include <utility>

#include "letterpress/base/box.h"
#include "letterpress/shards/anchors.h"

namespace letterpress {

void add_box_sizes(const ShardReader& shard, std::int64_t row,
                   std::vector<std::array<float, 2>>& sizes) {
  for (const LabelBox& box : shard.label_boxes(row)) {
    const float width = box.x2 - box.x1, height = box.y2 - box.y1;
    if (!(box.flags & kCrowd) && width > 0 && height > 0) sizes.push_back({width, height});
  }
}

namespace {

std::vector<std::array<float, 2>> evenly_taken(std::vector<std::array<float, 2>> sizes,
                                               std::size_t most) {
  if (sizes.size() <= most) return sizes;
  std::vector<std::array<float, 2>> taken;
  for (std::size_t i = 0; i < most; ++i)
    taken.push_back(sizes[evenly_placed(i, sizes.size(), most)]);
  return taken;
}

}  // namespace

std::vector<std::array<float, 2>> box_sizes(const SnapshotReader& reader,
                                            const std::vector<PictureRows>& pictures,
                                            std::size_t most, RowKind rows) {
  std::vector<std::array<float, 2>> sizes;
  for (const PictureRows& picture : pictures) {
    if (rows != RowKind::augmented)
      add_box_sizes(reader.shard(picture.clean.shard), picture.clean.row, sizes);
    if (rows == RowKind::clean) continue;
    for (const RowPlace& place : picture.augmented)
      add_box_sizes(reader.shard(place.shard), place.row, sizes);
  }
  return evenly_taken(std::move(sizes), most);
}

}  // namespace letterpress
