#include "trainer/metrics/detection_metrics.h"

#include "trainer/metrics/coco.h"

namespace letterpress {

DetectionMetrics evaluate_detections(const std::vector<PictureResult>& pictures, int classes,
                                     const std::optional<Goal>& goal) {
  const std::vector<ClassVerdicts> judged = judge(pictures, classes);
  const CocoMetrics coco = coco_metrics(judged);
  const OperatingPoint best = at_confidence(judged, best_confidence(judged).value_or(0));
  DetectionMetrics metrics{.map = coco.ap,
                           .map50 = coco.ap50,
                           .map75 = coco.ap75,
                           .precision = best.precision,
                           .recall = best.recall,
                           .best_confidence = best.confidence,
                           .at_goal = goal ? best_of(*goal, judged) : 0};
  for (std::size_t c = 0; c < judged.size(); ++c) {
    const CocoMetrics::PerClass& one = coco.classes[c];
    const Tally& tally = best.classes[c];
    metrics.classes.push_back(
        {one.ground_truths, one.ap, one.ap50, tally.precision(), tally.recall()});
  }
  return metrics;
}

}  // namespace letterpress
