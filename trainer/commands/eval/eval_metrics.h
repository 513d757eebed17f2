#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "trainer/metrics/coco.h"
#include "trainer/metrics/confusion.h"
#include "trainer/metrics/operating_point.h"
#include "trainer/metrics/pictures.h"
#include "trainer/metrics/voc.h"

namespace letterpress {

/// Which confidences to look at beside the best one.
struct EvalMetricsOptions {
  std::optional<double> at{};            ///< a confidence, 0..1
  std::optional<double> at_precision{};  ///< the confidence with the largest recall at this
                                         ///< precision, all classes together, 0..1
  double voc_iou = 0.5;  ///< overlap from which on VOC's metrics count a detection as right
};

/// Everything that `eval` says about detections.
struct EvalMetrics {
  std::vector<std::string> classes{};
  std::int64_t pictures = 0, detections = 0;
  CocoMetrics coco{};
  double coco_s = 0;  ///< seconds that it took: what COCOeval.evaluate and accumulate do
  VocMetrics voc{};
  double voc_iou = 0.5;
  struct Point {
    std::string name{};  ///< "best", "at", "at_precision"
    OperatingPoint point{};
    PictureTable table{};
    double false_per_picture = 0;  ///< wrong detections of any class
  };
  std::vector<Point> points{};  ///< "best" first
  bool has_best = true;  ///< else nothing is found rightly, and "best" is at kDefaultConfidence
  struct Recall {
    double wanted = 0;
    std::optional<RecallAtPrecision> all{};  ///< all classes counted together, at one confidence
    std::vector<std::optional<RecallAtPrecision>> classes{};  ///< each at its own confidence
  };
  std::optional<Recall> recall{};
  ConfusionMatrix confusion{};
  double confusion_confidence = 0;  ///< the one asked for, else the best
};
EvalMetrics eval_metrics(const std::vector<PictureResult>& pictures,
                         std::vector<std::string> classes, const EvalMetricsOptions& options);

/// Tables for people.
void print(const EvalMetrics& metrics, std::ostream& out);
/// The same for programs; the twelve COCO metrics are called as in the literature: AP, AP50, AP75,
/// APs, APm, APl, AR1, AR10, ...
nlohmann::json json_of(const EvalMetrics& metrics);

}  // namespace letterpress
