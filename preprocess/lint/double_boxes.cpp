#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "preprocess/lint/findings.h"

namespace letterpress {
namespace {

constexpr std::size_t kBoxValues = 5;  // left, top, right, bottom, class

struct Box {
  double left, top, right, bottom;
  std::size_t class_id;

  double area() const { return (right - left) * (bottom - top); }
};

double iou(const Box& a, const Box& b) {
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (width <= 0 || height <= 0) return 0;
  return width * height / (a.area() + b.area() - width * height);
}

std::vector<Box> boxes_of(const ShardReader& shard, std::int64_t row) {
  const std::span<const float> values = shard.boxes(row);
  std::vector<Box> boxes;
  for (int i = 0; i < shard.box_count(row); ++i) {
    const std::span<const float> box = values.subspan(kBoxValues * static_cast<std::size_t>(i), kBoxValues);
    boxes.push_back({box[0], box[1], box[2], box[3], static_cast<std::size_t>(box[4])});
  }
  return boxes;
}

struct Pair {
  double iou = 0;
  std::size_t one_class = 0, other_class = 0;

  bool contradicts() const { return one_class != other_class; }
  // A pair of two classes is worse than one of the same, then the closer one is.
  bool worse_than(const Pair& other) const { return contradicts() == other.contradicts() ? iou > other.iou : contradicts(); }
};

// How many boxes of a picture lie on another one of it, and the worst pair of them.
struct Doubles {
  int boxes = 0;
  Pair worst;
};

// From left to right only boxes that begin before a box ends are compared with it.
Doubles doubles_among(std::vector<Box> boxes, double least_iou) {
  Doubles result;
  std::ranges::stable_sort(boxes, {}, &Box::left);
  std::vector<bool> doubled(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = i + 1; j < boxes.size() && boxes[j].left < boxes[i].right; ++j) {
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
    const Doubles doubles = doubles_among(boxes_of(shard, row), source.options.double_iou);
    if (doubles.boxes == 0) continue;
    const Pair& worst = doubles.worst;
    const std::string &one = classes.at(worst.one_class), &other = classes.at(worst.other_class);
    const std::string pair = worst.contradicts() ? fmt::format("a '{}' and a '{}'", one, other) : fmt::format("two '{}'", one);
    findings.push_back(
        finding("double-box", entry,
                fmt::format("{} of {} boxes lie on another one: {}, IoU {:.2f}", doubles.boxes, shard.box_count(row), pair, worst.iou),
                "remove one of the two, unless there are two objects in the one place"));
  }
}

}  // namespace letterpress
