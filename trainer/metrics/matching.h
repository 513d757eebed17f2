#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "letterpress/base/box.h"
#include "trainer/detection/detection.h"

namespace letterpress {

inline constexpr int kIouThresholds = 10;        ///< .50:.05:.95
inline constexpr int kRecallPoints = 101;        ///< 0:.01:1
inline constexpr int kDetectionsPerClass = 100;  ///< best of a picture's, per class

/// What became of a detection at each IoU threshold. Neither bit: a false positive.
struct Verdict {
  float score = 0;
  std::uint16_t matched = 0;  ///< bit t: it matched a truth at threshold t
  std::uint16_t ignored = 0;  ///< bit t: it counts neither for nor against, because what it matched is to be ignored
};

/// IoU of detection and truth; for crowds intersection over the detection's area (maskApi.c, bbIou). 0 when they do not meet.
double overlap(const Detection& detection, const LabelBox& truth);

/// COCOeval.evaluateImg for one class of one picture: detections by descending score, equal scores in the order given, the best
/// `kDetectionsPerClass` of them; each takes the free truth with the largest IoU of at least the threshold, the later of equal ones, an
/// ignored truth only when no other will do; a crowd is never used up. ignored: one per truth. Appends one verdict per detection.
void match(std::span<const Detection* const> detections, std::span<const LabelBox* const> truths, std::span<const char> ignored,
           std::vector<Verdict>& verdicts);

/// np.linspace(.5, .95, 10), bit for bit.
const std::array<double, kIouThresholds>& iou_thresholds();

/// COCOeval.accumulate: precision interpolated at the recall points and averaged. verdicts: by descending score. truths >= 1.
double average_precision(std::span<const Verdict> verdicts, std::int64_t truths, int threshold);

}  // namespace letterpress
