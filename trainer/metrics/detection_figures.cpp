#include "trainer/metrics/detection_figures.h"

#include "trainer/metrics/coco.h"
#include "trainer/metrics/operating_point.h"

namespace letterpress {

DetectionFigures evaluate_detections(const std::vector<PictureResult>& pictures, int classes) {
  const std::vector<ClassVerdicts> judged = judge(pictures, classes);
  const CocoFigures coco = coco_figures(judged);
  const OperatingPoint best = at_confidence(judged, best_confidence(judged).value_or(0));
  DetectionFigures figures{.map = coco.ap,
                           .map50 = coco.ap50,
                           .map75 = coco.ap75,
                           .precision = best.precision,
                           .recall = best.recall,
                           .best_confidence = best.confidence};
  for (std::size_t c = 0; c < judged.size(); ++c) {
    const CocoFigures::PerClass& one = coco.classes[c];
    const Tally& tally = best.classes[c];
    figures.classes.push_back({one.truths, one.ap, one.ap50, tally.precision(), tally.recall()});
  }
  return figures;
}

}  // namespace letterpress
