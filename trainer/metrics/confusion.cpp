#include "trainer/metrics/confusion.h"

#include <algorithm>

#include "trainer/metrics/by_class.h"
#include "trainer/metrics/matching.h"

namespace letterpress {
namespace {

/// Ground truths and detections of one picture that found no match in their own class.
struct Left {
  std::vector<const GroundTruth*> ground_truths{};
  std::vector<const Found*> found{};
};

class Counter {
 public:
  explicit Counter(ConfusionMatrix& matrix) : matrix_(matrix) {}

  void count(int ground_truth, int found) {
    ++matrix_.counts[static_cast<std::size_t>(ground_truth * (matrix_.classes + 1) + found)];
  }

  void match_class(const ClassOfPicture& one, double confidence, Left& left) {
    Matching matching(one.ground_truths,
                      [](const GroundTruth& ground_truth) { return ground_truth.crowd; });
    for (const Found* found : one.found) {
      if (!(found->score >= confidence)) break;
      const int ground_truth =
          matching.take(overlaps(*found, one.ground_truths), iou_thresholds()[0]);
      if (ground_truth < 0) left.found.push_back(found);
      if (ground_truth >= 0 && !matching.ignored(ground_truth)) count(one.class_id, one.class_id);
    }
    for (std::size_t i = 0; i < one.ground_truths.size(); ++i)
      if (!one.ground_truths[i]->crowd && !matching.taken(i))
        left.ground_truths.push_back(one.ground_truths[i]);
  }

  void match_rest(Left& left) {
    std::stable_sort(left.found.begin(), left.found.end(), [](const Found* a, const Found* b) {
      return ranks_before(a->score, b->score);
    });
    Matching matching(left.ground_truths, [](const GroundTruth&) { return false; });
    for (const Found* found : left.found) {
      const int ground_truth =
          matching.take(overlaps(*found, left.ground_truths), iou_thresholds()[0]);
      count(ground_truth < 0 ? matrix_.classes
                             : left.ground_truths[static_cast<std::size_t>(ground_truth)]->class_id,
            found->class_id);
    }
    for (std::size_t i = 0; i < left.ground_truths.size(); ++i)
      if (!matching.taken(i)) count(left.ground_truths[i]->class_id, matrix_.classes);
  }

 private:
  const std::vector<double>& overlaps(const Found& found,
                                      std::span<const GroundTruth* const> ground_truths) {
    overlaps_.clear();
    for (const GroundTruth* ground_truth : ground_truths)
      overlaps_.push_back(overlap(found, *ground_truth));
    return overlaps_;
  }

  ConfusionMatrix& matrix_;
  std::vector<double> overlaps_;
};

}  // namespace

ConfusionMatrix confusion_matrix(const std::vector<PictureResult>& pictures, int classes,
                                 double confidence) {
  const auto side = static_cast<std::size_t>(classes) + 1;
  ConfusionMatrix matrix{classes, std::vector<std::int64_t>(side * side, 0)};
  Counter counter(matrix);
  for (std::size_t picture = 0; picture < pictures.size(); ++picture) {
    const ByClass by_class(pictures[picture], picture, classes);
    Left left;
    for (const ClassOfPicture& one : by_class.classes()) counter.match_class(one, confidence, left);
    counter.match_rest(left);
  }
  return matrix;
}

}  // namespace letterpress
