#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "trainer/commands/eval/eval_metrics.h"
#include "trainer/commands/eval/eval_promise.h"
#include "trainer/commands/evaluate_flags.h"
#include "trainer/detection/detection.h"

namespace letterpress {

struct EvalFlags {
  std::filesystem::path store, checkpoint, detections, ground_truth;
  std::string coco_out, coco_ground_truth_out;
  std::string split = "val", snapshot;
  EvaluateFlags evaluate;
  std::optional<float> confidence, iou;
  std::string suppression;
  EvalMetricsOptions metrics;
  PromiseOptions promise;
  bool json = false;
};
const FlagTable<EvalFlags>& eval_flags();

/// How a checkpoint's boxes become detections.
DetectionOptions detection_of(const EvalFlags& flags);
/// Throws Error (cannot_create) for an output that cannot be written, or two that are one file.
void check_outputs(const EvalFlags& flags);
/// Throws Error (usage) naming a flag that is of boxes.
void refuse_with_classifier(const EvalFlags& flags, const std::string& model);

}  // namespace letterpress
