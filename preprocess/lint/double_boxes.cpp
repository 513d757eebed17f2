#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "letterpress/base/extent.h"
#include "preprocess/lint/searches.h"

namespace letterpress {
namespace {

Extent extent_of(const LabelBox& box) { return {box.x1, box.y1, box.x2, box.y2}; }

struct Pair {
  double iou = 0;
  std::int32_t one_class = 0, other_class = 0;

  bool contradicts() const { return one_class != other_class; }
  // A pair of two classes is worse than one of the same, then the closer one is.
  bool worse_than(const Pair& other) const {
    return contradicts() == other.contradicts() ? iou > other.iou : contradicts();
  }
};

// How many boxes of a picture lie on another one of it, and the worst pair of them.
struct Doubles {
  int boxes = 0;
  Pair worst;
};

// From left to right only boxes that begin before a box ends are compared with it.
Doubles doubles_among(std::vector<LabelBox> boxes, double least_iou) {
  Doubles result;
  std::ranges::stable_sort(boxes, {}, &LabelBox::x1);
  std::vector<bool> doubled(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = i + 1; j < boxes.size() && boxes[j].x1 < boxes[i].x2; ++j) {
      const Pair pair{iou(extent_of(boxes[i]), extent_of(boxes[j])), boxes[i].class_id,
                      boxes[j].class_id};
      if (pair.iou < least_iou) continue;
      doubled[i] = doubled[j] = true;
      if (pair.worse_than(result.worst)) result.worst = pair;
    }
  }
  result.boxes = static_cast<int>(std::ranges::count(doubled, true));
  return result;
}

}  // namespace

void find_double_boxes(const LintSource& source, std::vector<Finding>& findings) {
  const std::vector<std::string>& classes = source.reader.snapshot().classes;
  for (const LedgerEntry& entry : source.ledger) {
    if (entry.state != InputState::stored) continue;
    const ShardReader& shard = source.reader.shard(entry.rows.front().shard);
    const std::int64_t row = entry.rows.front().row;
    const Doubles doubles = doubles_among(shard.label_boxes(row), source.options.double_iou);
    if (doubles.boxes == 0) continue;
    const Pair& worst = doubles.worst;
    const std::string& one = classes.at(static_cast<std::size_t>(worst.one_class));
    const std::string& other = classes.at(static_cast<std::size_t>(worst.other_class));
    const std::string pair = worst.contradicts() ? fmt::format("a '{}' and a '{}'", one, other)
                                                 : fmt::format("two '{}'", one);
    findings.push_back(
        finding("double-box", entry,
                fmt::format("{} of {} boxes lie on another one: {}, IoU {:.2f}", doubles.boxes,
                            shard.box_count(row), pair, worst.iou),
                "remove one of the two, unless there are two objects in the one place"));
  }
}

}  // namespace letterpress
