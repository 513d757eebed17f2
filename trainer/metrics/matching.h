#pragma once
#include <array>
#include <functional>
#include <span>
#include <vector>

#include "trainer/metrics/picture_result.h"

namespace letterpress {

inline constexpr int kIouThresholds = 10;  ///< .50:.05:.95

/// np.linspace(.5, .95, 10), bit for bit.
const std::array<double, kIouThresholds>& iou_thresholds();

/// IoU of detection and ground truth; for crowds intersection over the detection's area (maskApi.c,
/// bbIou). 0 when they do not meet.
double overlap(const Found& found, const GroundTruth& ground_truth);

/// The ground truths of one class of one picture. Its detections take them in turn, best score
/// first, as in COCOeval.evaluateImg: each takes the free ground truth with the largest IoU of at
/// least the threshold, of equal ones the later, and an ignored ground truth only when no other
/// fits; any number of detections may take a crowd.
class Matching {
 public:
  /// ignored: ground truths that count neither as found nor as missed.
  Matching(std::span<const GroundTruth* const> ground_truths,
           const std::function<bool(const GroundTruth&)>& ignored);

  /// Index of the ground truth that a detection takes, or -1. overlaps: with each ground truth.
  int take(std::span<const double> overlaps, double threshold);
  bool ignored(int ground_truth) const {
    return ignored_[static_cast<std::size_t>(ground_truth)] != 0;
  }
  bool taken(std::size_t ground_truth) const { return taken_[ground_truth] != 0; }
  void free_all();  ///< as at the beginning, for the next threshold

 private:
  std::span<const GroundTruth* const> ground_truths_;
  std::vector<char> ignored_, taken_;
  std::vector<int> order_;  ///< the ignored ones last
};

}  // namespace letterpress
