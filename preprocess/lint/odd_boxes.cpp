#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "preprocess/lint/searches.h"

namespace letterpress {
namespace {

constexpr float kTouching = 0.5F;  // pixels of the frame
constexpr int kFewBoxes = 3;       // one object at the edge is not a pattern

std::string size_text(double width, double height) {
  return fmt::format("{:.1f} x {:.1f}", width, height);
}

double aspect(double width, double height) {
  return std::max(width, height) / std::max(1e-9, std::min(width, height));
}

// What the boxes of one row have in common.
struct RowOddities {
  int boxes = 0, tiny = 0, at_edge = 0, odd = 0;
  std::array<double, 2> smallest{1e9, 1e9}, oddest{1, 1};
};

class RowView {
 public:
  RowView(const ShardReader& shard, const LedgerEntry& entry)
      : shard_(shard), row_(entry.rows.front().row) {
    const Affine map = shard.letterbox(row_);
    left_ = map.m[2];
    top_ = map.m[5];
    right_ = map.m[0] * entry.width + map.m[2];
    bottom_ = map.m[4] * entry.height + map.m[5];
  }

  RowOddities judge(const LintOptions& options) const {
    RowOddities result;
    result.boxes = shard_.box_count(row_);
    for (const LabelBox& box : shard_.label_boxes(row_)) {
      const std::array<double, 2> size{box.x2 - box.x1, box.y2 - box.y1};
      result.tiny += std::min(size[0], size[1]) < options.tiny ? 1 : 0;
      result.at_edge += touches_edge(box) ? 1 : 0;
      result.odd += aspect(size[0], size[1]) > options.box_aspect ? 1 : 0;
      if (std::min(size[0], size[1]) < std::min(result.smallest[0], result.smallest[1]))
        result.smallest = size;
      if (aspect(size[0], size[1]) > aspect(result.oddest[0], result.oddest[1]))
        result.oddest = size;
    }
    return result;
  }

 private:
  bool touches_edge(const LabelBox& box) const {
    return box.x1 - left_ < kTouching || box.y1 - top_ < kTouching || right_ - box.x2 < kTouching ||
           bottom_ - box.y2 < kTouching;
  }

  const ShardReader& shard_;
  std::int64_t row_;
  double left_ = 0, top_ = 0, right_ = 0, bottom_ = 0;
};

std::string n_of(int n, int all) {
  return std::to_string(n) + " of " + std::to_string(all) + " boxes";
}

void tell_tiny(const LedgerEntry& entry, const RowOddities& row, int side,
               std::vector<Finding>& findings) {
  if (row.tiny == 0) return;
  findings.push_back(finding("tiny-box", entry,
                             n_of(row.tiny, row.boxes) + " too small to be seen in the " +
                                 std::to_string(side) + " frame, the smallest " +
                                 size_text(row.smallest[0], row.smallest[1]) + " pixels",
                             "build with a larger --size, cut the picture in tiles, or remove "
                             "labels that nobody could draw"));
}

void tell_edge(const LedgerEntry& entry, const RowOddities& row, double share,
               std::vector<Finding>& findings) {
  if (row.boxes < kFewBoxes || row.at_edge < share * row.boxes) return;
  findings.push_back(finding("edge", entry,
                             n_of(row.at_edge, row.boxes) + " touch the picture's edge",
                             "check that the labels belong to this picture and its size: boxes "
                             "that were clipped end there too"));
}

void tell_aspect(const LedgerEntry& entry, const RowOddities& row, const LintOptions& options,
                 std::vector<Finding>& findings) {
  const double picture = aspect(entry.width, entry.height);
  if (picture > options.picture_aspect) {
    const std::string what = fmt::format("is {} x {}: {:.0f}% of its frame is padding", entry.width,
                                         entry.height, 100 * (1 - 1 / picture));
    findings.push_back(
        finding("aspect", entry, what, "cut the picture in parts that are nearer to a square"));
  }
  if (row.odd == 0) return;
  const std::string what =
      fmt::format("{} of {} boxes longer than {:g} times their other side, the oddest {} pixels",
                  row.odd, row.boxes, options.box_aspect, size_text(row.oddest[0], row.oddest[1]));
  findings.push_back(
      finding("aspect", entry, what, "check that box for swapped or slipped corners"));
}

}  // namespace

void find_odd_boxes(const LintSource& source, std::vector<Finding>& findings) {
  std::vector<Finding> tiny, edge, odd;
  for (const LedgerEntry& entry : source.ledger) {
    if (entry.state != InputState::stored) continue;
    const ShardReader& shard = source.reader.shard(entry.rows.front().shard);
    const RowOddities row = RowView(shard, entry).judge(source.options);
    tell_tiny(entry, row, shard.spec().side, tiny);
    tell_edge(entry, row, source.options.edge_share, edge);
    tell_aspect(entry, row, source.options, odd);
  }
  for (const std::vector<Finding>* part : {&tiny, &edge, &odd})
    findings.insert(findings.end(), part->begin(), part->end());
}

}  // namespace letterpress
