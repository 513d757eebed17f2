#include "preprocess/report/shapes.h"

#include <algorithm>
#include <set>

namespace letterpress {
namespace {

void count_clean(const ShardReader& shard, std::int64_t row, Shapes& shapes) {
  const auto [width, height] = shard.source_size(row);
  ++shapes.picture_sizes[{width, height}];
  const Letterbox part = letterbox_of(shard.letterbox(row), width, height, shard.spec().side);
  for (const LabelBox& box : shard.label_boxes(row)) {
    shapes.centres.add(((box.x1 + box.x2) / 2.0 - part.x) / part.width,
                       ((box.y1 + box.y2) / 2.0 - part.y) / part.height);
    shapes.box_sizes.add((1.0 * box.x2 - box.x1) / part.width,
                         (1.0 * box.y2 - box.y1) / part.height);
  }
}

// A row lacks the boxes of its picture that the augmentation has left out.
void count_augmented(const std::vector<LabelBox>& clean, const std::vector<LabelBox>& boxes,
                     std::vector<AugmentedBoxes>& classes) {
  const auto of = [&](const LabelBox& box) -> AugmentedBoxes& {
    return classes.at(static_cast<std::size_t>(box.class_id));
  };
  for (const LabelBox& box : clean) ++of(box).expected, ++of(box).lost;
  for (const LabelBox& box : boxes) {
    --of(box).lost;
    of(box).cut += (box.flags & kCut) != 0 ? 1 : 0;
  }
}

}  // namespace

void Density::add(double x, double y) {
  const auto cell = [](double share) {
    return static_cast<std::size_t>(std::clamp(share * kCells, 0.0, kCells - 1.0));
  };
  ++counts[cell(y) * kCells + cell(x)];
}

std::int64_t Density::most() const { return *std::ranges::max_element(counts); }

Shapes count_shapes(const SnapshotReader& reader) {
  Shapes shapes;
  shapes.augmented.resize(reader.snapshot().classes.size());
  std::set<std::string> names;
  for (const SnapshotShard& shard : reader.snapshot().shards) names.insert(shard.split);
  for (const std::string& name : names) {
    for (const PictureRows& picture : reader.pictures(name)) {
      const ShardReader& shard = reader.shard(picture.clean.shard);
      count_clean(shard, picture.clean.row, shapes);
      if (picture.augmented.empty()) continue;
      const std::vector<LabelBox> clean = shard.label_boxes(picture.clean.row);
      for (const RowPlace& place : picture.augmented)
        count_augmented(clean, reader.shard(place.shard).label_boxes(place.row), shapes.augmented);
    }
  }
  return shapes;
}

}  // namespace letterpress
