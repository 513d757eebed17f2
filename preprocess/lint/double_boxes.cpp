#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "preprocess/lint/searches.h"

namespace letterpress {
namespace {

// Sides in double precision (1.0 *), where they do not round.
double area(const LabelBox& box) { return (1.0 * box.x2 - box.x1) * (1.0 * box.y2 - box.y1); }

double iou(const LabelBox& a, const LabelBox& b) {
  const double width = 1.0 * std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  const double height = 1.0 * std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  if (width <= 0 || height <= 0) return 0;
  return width * height / (area(a) + area(b) - width * height);
}

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
      const Pair pair{iou(boxes[i], boxes[j]), boxes[i].class_id, boxes[j].class_id};
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
