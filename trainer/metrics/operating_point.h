#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "trainer/metrics/verdicts.h"

namespace letterpress {

/// Detections of one class that count, at IoU .5. Crowds do not count as ground truths, and
/// detections inside them are neither right nor wrong.
struct Tally {
  std::int64_t ground_truths = 0, right = 0, wrong = 0;
  double precision() const {
    return right ? static_cast<double>(right) / static_cast<double>(right + wrong) : 0;
  }
  double recall() const {
    return ground_truths ? static_cast<double>(right) / static_cast<double>(ground_truths) : 0;
  }
  double f1() const {
    return right
               ? 2 * static_cast<double>(right) / static_cast<double>(right + wrong + ground_truths)
               : 0;
  }
  /// Precision, recall and F1; -1, as in COCO's metrics, of what nothing can be said: where nothing
  /// was labelled, and, of precision, nothing was found.
  std::array<double, 3> precision_recall_f1() const {
    if (ground_truths > 0) return {precision(), recall(), f1()};
    return {right + wrong > 0 ? precision() : -1, -1, -1};
  }
  void add(const Verdict& verdict) {
    right += verdict.right(kAllAreas, 0);
    wrong += verdict.wrong(kAllAreas, 0);
  }
};

/// How a model performs when only detections with at least a given confidence count.
struct OperatingPoint {
  double confidence = 0;
  double precision = 0, recall = 0, f1 = 0;  ///< means over the classes that have a ground truth
  std::vector<Tally> classes{};
};
OperatingPoint at_confidence(const std::vector<ClassVerdicts>& judged, double confidence);

/// The confidence, the same for every class, with the largest mean F1, the highest of equal ones;
/// nothing when no detection is right.
std::optional<double> best_confidence(const std::vector<ClassVerdicts>& judged);

/// For use where false alarms are costly: the most ground truths found while the share `precision`
/// of the detections is right.
struct RecallAtPrecision {
  double recall = 0, precision = 0, confidence = 0;
};
/// judged: one class, or several that are counted together at one confidence; detections of a class
/// without ground truths are all wrong. wanted: 0..1. Nothing when no confidence reaches it.
std::optional<RecallAtPrecision> recall_at_precision(
    const std::vector<const ClassVerdicts*>& judged, double wanted);

/// What a line promises its customer, all classes counted together at one confidence: the most
/// recall while a share `wanted` of the detections is right, or the most precision while a share
/// `wanted` of the ground truths is found.
struct Goal {
  enum class Of { recall, precision } of = Of::recall;
  double wanted = 0;  ///< 0..1, of the other one
  bool operator==(const Goal&) const = default;
};
/// 0..1; 0 when no confidence reaches what is wanted.
double best_of(const Goal& goal, const std::vector<ClassVerdicts>& judged);

}  // namespace letterpress
