#include "preprocess/commands/worst_cut.h"

#include <algorithm>
#include <vector>

#include "letterpress/base/box.h"
#include "letterpress/base/extent.h"

namespace letterpress {
namespace {

Extent extent_of(const LabelBox& box) { return {box.x1, box.y1, box.x2, box.y2}; }

// Of the four mapped corners, as boxes follow a rotation.
Extent mapped(const Affine& map, const Extent& box) {
  Extent result{1e30, 1e30, -1e30, -1e30};
  for (int corner = 0; corner < 4; ++corner) {
    const auto [x, y] = apply(map, corner % 2 ? box.x2 : box.x1, corner / 2 ? box.y2 : box.y1);
    result = {std::min(result.x1, x), std::min(result.y1, y), std::max(result.x2, x),
              std::max(result.y2, y)};
  }
  return result;
}

// A box of the clean row under the augmented row's map.
struct Moved {
  Extent whole, visible;
  std::int32_t class_id = -1;
  bool claimed = false;  // by a box of the augmented row

  double lost() const { return 1 - visible.area() / std::max(1e-9, whole.area()); }
};

std::vector<Moved> moved_boxes(const ShardReader& shard, std::int64_t row, const Affine& map,
                               double side) {
  std::vector<Moved> boxes;
  for (const LabelBox& box : shard.label_boxes(row)) {
    const Extent whole = mapped(map, extent_of(box));
    const Extent visible{std::max(0.0, whole.x1), std::max(0.0, whole.y1), std::min(side, whole.x2),
                         std::min(side, whole.y2)};
    boxes.push_back({whole, visible, box.class_id});
  }
  return boxes;
}

// The one that became `box`: of its class the one that overlaps it most; nullptr when none is left
// that does.
Moved* source_of(const LabelBox& box, std::vector<Moved>& moved) {
  Moved* source = nullptr;
  double best = 0;
  for (Moved& candidate : moved) {
    const double match = iou(candidate.visible, extent_of(box));
    if (candidate.claimed || candidate.class_id != box.class_id || match <= best) continue;
    best = match;
    source = &candidate;
  }
  return source;
}

}  // namespace

double worst_cut(const SnapshotReader& reader, const RowPlace& clean, const RowPlace& augmented) {
  const ShardReader& before = reader.shard(clean.shard);
  const ShardReader& after = reader.shard(augmented.shard);
  const Affine map = after.letterbox(augmented.row) * inverse(before.letterbox(clean.row));
  std::vector<Moved> moved = moved_boxes(before, clean.row, map, after.spec().side);
  double worst = 0;
  for (const LabelBox& box : after.label_boxes(augmented.row)) {
    Moved* const source = source_of(box, moved);
    if (!source) continue;
    source->claimed = true;
    if (box.flags & kCut) worst = std::max(worst, source->lost());
  }
  const bool all_left = std::ranges::all_of(moved, &Moved::claimed);
  return all_left ? worst : 1;
}

}  // namespace letterpress
