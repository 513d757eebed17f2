#include "trainer/commands/eval/eval_flags.h"

#include <fmt/format.h>

#include "letterpress/base/error.h"
#include "letterpress/base/registry.h"
#include "letterpress/commandline/output_file.h"
#include "trainer/detection/detection_flags.h"

namespace letterpress {
namespace {

/// Exactly one of two flags.
void require_one(bool first, const std::string& first_flag, bool second,
                 const std::string& second_flag) {
  if (first && second)
    throw Error({.what = "got both " + first_flag + " and " + second_flag, .fix = "leave one out"},
                Exit::usage);
  if (!first && !second)
    throw Error("must be given " + first_flag + " or " + second_flag, Exit::usage);
}

// They would do nothing.
void refuse_with_detections(const EvalFlags& flags) {
  const char* flag = flags.confidence ? "--conf" : flags.iou ? "--iou" : "--nms";
  if (!flags.confidence && !flags.iou && flags.suppression.empty()) return;
  throw Error({.what = std::string(flag) + " says how a checkpoint's boxes become detections",
               .fix = std::string("those of --detections are measured as they are, leave ") + flag +
                      " out"},
              Exit::usage);
}

void refuse_with_promise(const EvalFlags& flags) {
  if (flags.confidence)
    throw Error(Message{.what = "--conf conflicts with --promise, which chooses the confidence",
                        .fix = "leave one out"},
                Exit::usage);
  if (!flags.iou && flags.suppression.empty()) return;
  throw Error({.what = std::string(flags.iou ? "--iou" : "--nms") +
                       " conflicts with --promise: `predict` would not know it",
               .fix = "leave it out"},
              Exit::usage);
}

void check_sources(const EvalFlags& flags) {
  const bool checkpoint = !flags.checkpoint.empty(), ground_truth = !flags.ground_truth.empty();
  require_one(checkpoint, "--checkpoint", !flags.detections.empty(), "--detections");
  require_one(!flags.store.empty(), "--store", ground_truth, "--truth");
  if (checkpoint && ground_truth)
    throw Error("--checkpoint needs a --store to take its pictures from, --truth has none",
                Exit::usage);
  if (!checkpoint) refuse_with_detections(flags);
  if (checkpoint && !flags.promise.text.empty()) refuse_with_promise(flags);
}

void add_sources(FlagTable<EvalFlags>& table) {
  using Flags = EvalFlags;
  using F = Flag<Flags>;
  table.add(
      {F("store", &Flags::store, "folder that letterpress-preprocess build made")
           .check(check_sources),
       checkpoint_flag<Flags>(),
       F("detections", &Flags::detections,
         "instead of a checkpoint: COCO results JSON, pictures by the label files' ids or by name; "
         "or a COCO data set with scores, as predict --format coco writes it, by name"),
       F("truth", &Flags::ground_truth,
         "instead of a store, with --detections: COCO JSON with images, categories and "
         "annotations"),
       F("split", &Flags::split, "what of the store to measure on"), snapshot_flag<Flags>(),
       F("coco-out", &Flags::coco_out, "write the detections as COCO results JSON")
           .says("a file")
           .filled(),
       F("coco-truth-out", &Flags::coco_ground_truth_out,
         "write the ground truth that they were measured against as COCO JSON")
           .says("a file")
           .filled()});
}

void add_detection(FlagTable<EvalFlags>& table) {
  using Flags = EvalFlags;
  using F = Flag<Flags>;
  table.add({F("at", member(&Flags::metrics, &EvalMetricsOptions::at),
               "also report what the model does at this confidence; the confusion matrix uses it")
                 .between(0, 1),
             F("at-precision", member(&Flags::metrics, &EvalMetricsOptions::at_precision),
               "also report how many objects are found while this share of the detections is right")
                 .share()
                 .between(0, 1),
             F("iou-at", member(&Flags::metrics, &EvalMetricsOptions::voc_iou),
               "overlap from which on VOC's metrics count a detection as right")
                 .between(0.05, 0.95),
             confidence_flag<Flags>(
                 &Flags::confidence,
                 fmt::format("a checkpoint's detections with a lower score do not count; none "
                             "given: {:g}",
                             DetectionOptions().confidence)),
             iou_flag<Flags>(&Flags::iou,
                             fmt::format("overlap of a checkpoint's detections above which the "
                                         "lower score is dropped; none given: {:g}",
                                         DetectionOptions().iou)),
             suppression_flag<Flags>(
                 &Flags::suppression,
                 "which of a checkpoint's overlapping detections stay; none given: " +
                     DetectionOptions().suppression + ". " + help_of(suppression_infos()))});
}

}  // namespace

DetectionOptions detection_of(const EvalFlags& flags) {
  DetectionOptions detection;
  if (flags.confidence) detection.confidence = *flags.confidence;
  if (flags.iou) detection.iou = *flags.iou;
  if (!flags.suppression.empty()) detection.suppression = flags.suppression;
  return detection;
}

void check_outputs(const EvalFlags& flags) {
  for (const auto& [flag, out] : {std::pair{"--coco-out", flags.coco_out},
                                  {"--coco-truth-out", flags.coco_ground_truth_out}}) {
    check_is_not_input(flag, out, flags.ground_truth, "--truth");
    check_is_not_input(flag, out, flags.detections, "--detections");
  }
  // A list of results, and a set as this command writes it, not one that somebody labelled.
  if (!flags.coco_out.empty())
    check_output_file("--coco-out", flags.coco_out, {"a JSON list of COCO results", "["});
  if (!flags.coco_ground_truth_out.empty())
    check_output_file("--coco-truth-out", flags.coco_ground_truth_out,
                      {"a file of --coco-truth-out", R"({"info":{},"licenses":[],"images":[)"});
  const auto place = [](const std::string& file) {
    return std::filesystem::weakly_canonical(file);
  };
  if (!flags.coco_out.empty() && !flags.coco_ground_truth_out.empty() &&
      place(flags.coco_out) == place(flags.coco_ground_truth_out)) {
    throw Error({.what = "--coco-out and --coco-truth-out are both " + flags.coco_out,
                 .fix = "name two files"},
                Exit::usage);
  }
}

// They are of boxes.
void refuse_with_classifier(const EvalFlags& flags, const std::string& model) {
  const std::pair<bool, const char*> given[] = {
      {flags.confidence.has_value(), "--conf"},
      {flags.iou.has_value(), "--iou"},
      {!flags.suppression.empty(), "--nms"},
      {flags.metrics.at.has_value(), "--at"},
      {!flags.coco_out.empty(), "--coco-out"},
      {!flags.coco_ground_truth_out.empty(), "--coco-truth-out"},
      {flags.metrics.at_precision.has_value(), "--at-precision"},
      {!flags.promise.text.empty(), "--promise"}};
  for (const auto& [is_given, flag] : given) {
    if (is_given)
      throw Error(
          {.what = std::string(flag) + " is of boxes, " + model + " gives whole pictures a class",
           .fix = std::string("leave ") + flag + " out"},
          Exit::usage);
  }
}

const FlagTable<EvalFlags>& eval_flags() {
  static const FlagTable<EvalFlags> table = [] {
    FlagTable<EvalFlags> flags;
    add_sources(flags);
    add_detection(flags);
    flags.include(promise_flags(), &EvalFlags::promise)
        .include(evaluate_flags(), &EvalFlags::evaluate)
        .add({json_flag<EvalFlags>()});
    return flags;
  }();
  return table;
}

}  // namespace letterpress
