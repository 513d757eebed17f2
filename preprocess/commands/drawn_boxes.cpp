#include "preprocess/commands/drawn_boxes.h"

namespace letterpress {

std::vector<DrawnBox> drawn_boxes(const ShardReader& shard, std::int64_t row,
                                  const std::vector<std::string>& classes) {
  std::vector<DrawnBox> boxes;
  for (const LabelBox& box : shard.label_boxes(row)) {
    boxes.push_back({box.x1, box.y1, box.x2, box.y2,
                     classes.at(static_cast<std::size_t>(box.class_id)), box.class_id});
  }
  return boxes;
}

}  // namespace letterpress
