#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "trainer/metrics/matching.h"
#include "trainer/metrics/picture_result.h"

namespace letterpress {

/// COCO's ranges of the stated area: all; under 32 x 32; up to 96 x 96; over it. Both ends belong
/// to a range.
enum AreaRange { kAllAreas, kSmall, kMedium, kLarge };
inline constexpr int kAreaRanges = 4;
std::array<double, 2> area_limits(int range);  ///< pixels: least and most

/// How a detection is judged. A bit per IoU threshold and area range; a false detection has neither
/// bit set.
struct Verdict {
  struct InRange {
    std::uint16_t matched = 0;  ///< bit t: it took a ground truth at threshold t
    std::uint16_t ignored = 0;  ///< bit t: it does not count: the ground truth that it took is
                                ///< ignored, or it took none and its own area is out of range
  };
  double score = 0;  ///< -infinity for NaN
  int rank = 0;      ///< among the detections of its class in its picture, 0 the best
  std::array<InRange, kAreaRanges> ranges{};

  bool right(int range, int threshold) const {
    return ranges[index(range)].matched & ~ranges[index(range)].ignored & 1 << threshold;
  }
  bool wrong(int range, int threshold) const {
    return !((ranges[index(range)].matched | ranges[index(range)].ignored) & 1 << threshold);
  }

 private:
  static std::size_t index(int range) { return static_cast<std::size_t>(range); }
};

/// All verdicts on one class.
struct ClassVerdicts {
  std::array<std::int64_t, kAreaRanges> ground_truths{};  ///< to be found, by range; without crowds
  std::vector<Verdict> verdicts{};  ///< by descending score, equal ones by picture and then rank
};

/// COCOeval.evaluate of pycocotools (github.com/cocodataset/cocoapi, BSD): per class all detections
/// of each picture against its ground truths. COCO's metrics count the best 100
/// of them, by Verdict::rank; whoever sets a threshold meets them all. Throws std::logic_error for
/// a class outside 0..classes-1.
std::vector<ClassVerdicts> judge(const std::vector<PictureResult>& pictures, int classes);

}  // namespace letterpress
