#include <iostream>
#include <memory>

#include "letterpress/base/error.h"
#include "letterpress/commandline/output_file.h"
#include "trainer/checkpoint/find_checkpoint.h"
#include "trainer/checkpoint/network_weights.h"
#include "trainer/commands/class_metrics.h"
#include "trainer/commands/commands.h"
#include "trainer/commands/eval_metrics.h"
#include "trainer/commands/eval_pictures.h"
#include "trainer/commands/eval_promise.h"
#include "trainer/commands/evaluate_flags.h"
#include "trainer/fit/opening/model_for_store.h"
#include "trainer/fit/opening/opened_split.h"
#include "trainer/fit/options/snapshot_flag.h"

namespace letterpress {
namespace {

struct EvalFlags {
  std::filesystem::path store, checkpoint, detections, ground_truth;
  std::string coco_out, coco_ground_truth_out;
  std::string split = "val", snapshot;
  EvaluateFlags evaluate;
  std::optional<float> confidence, iou;
  std::string suppression;
  EvalWishes wishes;
  PromiseWish promise;
  bool json = false;
};

/// Exactly one of two flags.
void require_one(bool first, const std::string& first_flag, bool second,
                 const std::string& second_flag) {
  if (first && second)
    throw Error({.what = "got both " + first_flag + " and " + second_flag, .fix = "leave one out"},
                Exit::usage);
  if (!first && !second)
    throw Error("must be given " + first_flag + " or " + second_flag, Exit::usage);
}

DetectionOptions detection_of(const EvalFlags& flags) {
  DetectionOptions detection;
  if (flags.confidence) detection.confidence = *flags.confidence;
  if (flags.iou) detection.iou = *flags.iou;
  if (!flags.suppression.empty()) detection.suppression = flags.suppression;
  return detection;
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

void check_sources(const EvalFlags& flags) {
  const bool checkpoint = !flags.checkpoint.empty(), ground_truth = !flags.ground_truth.empty();
  require_one(checkpoint, "--checkpoint", !flags.detections.empty(), "--detections");
  require_one(!flags.store.empty(), "--store", ground_truth, "--truth");
  if (checkpoint && ground_truth)
    throw Error("--checkpoint needs a --store to take its pictures from, --truth has none",
                Exit::usage);
  if (!checkpoint) refuse_with_detections(flags);
}

void check_outputs(const EvalFlags& flags) {
  if (!flags.coco_out.empty()) check_output_file("--coco-out", flags.coco_out, "a JSON file");
  if (!flags.coco_ground_truth_out.empty())
    check_output_file("--coco-truth-out", flags.coco_ground_truth_out, "a JSON file");
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

/// What is measured: both as COCO's files have them.
struct Measured {
  CocoGroundTruth ground_truth;
  std::vector<CocoResult> found{};
};

OpenedSplit split_of(const EvalFlags& flags) {
  return open_split(flags.store, flags.snapshot, flags.split);
}

std::vector<LedgerEntry> ledger_of(const OpenedSplit& split) {
  return split.store.ledger(split.reader.snapshot().generation);
}

// Who compares the files with those of another program by id would find nothing.
void say_fault_of_ids(const EvalFlags& flags, const OpenedSplit& split,
                      const std::vector<LedgerEntry>& ledger) {
  if (flags.coco_out.empty() && flags.coco_ground_truth_out.empty()) return;
  const std::string fault = fault_of_ids(split.pictures, ledger);
  if (!fault.empty())
    std::cerr
        << "image ids are made up, as those of the label files do not tell all pictures apart: "
        << fault << "; --coco-truth-out has them with the pictures' names\n";
}

/// The checkpoint's network on its device, and how it is to be measured.
struct Measuring {
  Progress progress;
  EvaluateOptions options;
  std::unique_ptr<Network> network;

  Measuring(const EvalFlags& flags, const Checkpoint& checkpoint, const OpenedSplit& split)
      : progress("evaluating", static_cast<std::int64_t>(split.pictures.size()), "pictures"),
        options(evaluate_options(flags.evaluate, set_up_device(flags.evaluate), progress)),
        network(network_for_use(checkpoint, options.device)) {
    options.detection = detection_of(flags);
  }
  Measuring(const Measuring&) = delete;
  Measuring& operator=(const Measuring&) = delete;
};

/// Ground truth and the checkpoint's detections; nothing when a signal stopped it.
std::optional<Measured> measure_checkpoint(const EvalFlags& flags, const Checkpoint& checkpoint,
                                           const OpenedSplit& split) {
  const std::vector<LedgerEntry> ledger = ledger_of(split);
  say_fault_of_ids(flags, split, ledger);
  Measuring measuring(flags, checkpoint, split);
  const auto results =
      detect_pictures(*measuring.network, split.reader, split.pictures, measuring.options);
  if (!results) return std::nullopt;
  Measured measured{ground_truth_of(split.reader, split.pictures, ledger, *results)};
  for (std::size_t i = 0; i < results->size(); ++i) {
    for (const Found& one : (*results)[i].found) {
      const std::int64_t category =
          measured.ground_truth.categories[static_cast<std::size_t>(one.class_id)].id;
      measured.found.push_back({measured.ground_truth.images[i].id, category, one.box, one.score});
    }
  }
  return measured;
}

// They are of boxes.
void refuse_with_classifier(const EvalFlags& flags, const std::string& model) {
  const std::pair<bool, const char*> given[] = {
      {flags.confidence.has_value(), "--conf"},
      {flags.iou.has_value(), "--iou"},
      {!flags.suppression.empty(), "--nms"},
      {flags.wishes.at.has_value(), "--at"},
      {!flags.coco_out.empty(), "--coco-out"},
      {!flags.coco_ground_truth_out.empty(), "--coco-truth-out"},
      {flags.wishes.at_precision.has_value(), "--at-precision"},
      {!flags.promise.text.empty(), "--promise"}};
  for (const auto& [is_given, flag] : given) {
    if (is_given)
      throw Error(
          {.what = std::string(flag) + " is of boxes, " + model + " gives whole pictures a class",
           .fix = std::string("leave ") + flag + " out"},
          Exit::usage);
  }
}

int measure_classifier(const EvalFlags& flags, const Checkpoint& checkpoint,
                       const OpenedSplit& split) {
  refuse_with_classifier(flags, checkpoint.info.graph.model);
  Measuring measuring(flags, checkpoint, split);
  const auto metrics =
      evaluate_classes(*measuring.network, split.reader, split.pictures, measuring.options);
  if (!metrics) return 128 + stop_by_signal().signal();
  print(*metrics, checkpoint.info.classes, std::cout);
  if (flags.json) std::cout << json_of(*metrics, checkpoint.info.classes).dump() << "\n";
  return 0;
}

Measured measure_file(const EvalFlags& flags) {
  const std::vector<CocoResult> found = read_coco_results(flags.detections);
  Measured measured;
  std::vector<LedgerEntry> ledger;
  std::vector<PictureRows> pictures;
  if (!flags.ground_truth.empty()) {
    measured.ground_truth = read_coco_ground_truth(flags.ground_truth);
  } else {
    const OpenedSplit split = split_of(flags);
    ledger = ledger_of(split);
    pictures = split.pictures;
    say_fault_of_ids(flags, split, ledger);
    measured.ground_truth = ground_truth_of(split.reader, pictures, ledger);
  }
  DetectionIndex index(measured.ground_truth, flags.detections.string());
  index.add_ledger(ledger, pictures);
  measured.found = index.resolve(found);
  if (index.left_out() > 0)
    std::cerr << index.left_out()
              << " detections are of pictures that the store knows, but not in split '"
              << flags.split << "'; they are left out\n";
  return measured;
}

/// checkpoint: whose detections they are; empty: a file's.
int report(const EvalFlags& flags, const std::optional<Measured>& measured,
           const std::filesystem::path& checkpoint = {}) {
  if (!measured) return 128 + stop_by_signal().signal();
  if (!flags.coco_out.empty()) write_coco_results(flags.coco_out, measured->found);
  if (!flags.coco_ground_truth_out.empty())
    write_coco_ground_truth(flags.coco_ground_truth_out, measured->ground_truth);
  std::vector<std::string> classes;
  for (const CocoGroundTruth::Category& category : measured->ground_truth.categories)
    classes.push_back(category.name);
  const std::vector<PictureResult> pictures =
      picture_results(measured->ground_truth, measured->found);
  const EvalMetrics metrics = eval_metrics(pictures, classes, flags.wishes);
  print(metrics, std::cout);
  nlohmann::json summary = json_of(metrics);
  if (const auto promise = flags.promise.promise()) {
    const KeptPromise kept = kept_or_error(pictures, static_cast<int>(classes.size()), *promise);
    print(*promise, kept, std::cout);
    summary["promise"] = json_of(*promise, kept);
    if (!checkpoint.empty()) keep_in(checkpoint, *promise, kept);
  }
  if (flags.json) std::cout << summary.dump() << "\n";
  return 0;
}

int run_eval(const EvalFlags& flags) {
  check_outputs(flags);
  if (flags.checkpoint.empty()) return report(flags, measure_file(flags));
  const std::filesystem::path file = find_checkpoint(flags.checkpoint, "checkpoint");
  const Checkpoint checkpoint = read_checkpoint(file, true);
  const OpenedSplit split = split_of(flags);
  check_fits(checkpoint.info, split.reader.snapshot(), file.string());
  check_labels(checkpoint.info.graph, split.reader.snapshot(), flags.store.string());
  if (is_classifier(checkpoint.info.graph)) return measure_classifier(flags, checkpoint, split);
  return report(flags, measure_checkpoint(flags, checkpoint, split), file);
}

std::string suppressions() {
  std::string variants;
  for (const SuppressionInfo& info : suppression_infos())
    variants += (variants.empty() ? "" : "; ") + info.name + ": " + info.help;
  return variants;
}

void add_sources(FlagTable<EvalFlags>& table) {
  using Flags = EvalFlags;
  using F = Flag<Flags>;
  table.add(
      {F("store", &Flags::store, "folder that letterpress-preprocess build made")
           .check(check_sources),
       checkpoint_flag<Flags>(),
       F("detections", &Flags::detections,
         "instead of a checkpoint: COCO results JSON, pictures by the label files' ids or by name"),
       F("truth", &Flags::ground_truth,
         "instead of a store, with --detections: COCO JSON with images, categories and "
         "annotations"),
       F("split", &Flags::split, "what of the store to measure on"), snapshot_flag<Flags>(),
       F("coco-out", &Flags::coco_out, "write the detections as COCO results JSON"),
       F("coco-truth-out", &Flags::coco_ground_truth_out,
         "write the ground truth that they were measured against as COCO JSON")});
}

void add_detection(FlagTable<EvalFlags>& table) {
  using Flags = EvalFlags;
  using F = Flag<Flags>;
  table.add({F("at", member(&Flags::wishes, &EvalWishes::at),
               "say also what the model does at this confidence; the confusion matrix is of it")
                 .between(0, 1),
             F("at-precision", member(&Flags::wishes, &EvalWishes::at_precision),
               "say also how many objects are found while this share of the detections is right")
                 .between(0, 1),
             F("iou-at", member(&Flags::wishes, &EvalWishes::voc_iou),
               "overlap from which on VOC's metrics count a detection as right")
                 .between(0.05, 0.95),
             F("conf", &Flags::confidence,
               "a checkpoint's detections with a lower score do not count; none given: 0.001"),
             F("iou", &Flags::iou,
               "overlap of a checkpoint's detections above which the lower score is dropped; none "
               "given: 0.6"),
             F("nms", &Flags::suppression,
               "which of a checkpoint's overlapping detections stay; none given: class. " +
                   suppressions())
                 .check([](const Flags& flags) { validate(detection_of(flags)); })});
}

}  // namespace

Command eval_command() {
  FlagTable<EvalFlags> table;
  add_sources(table);
  add_detection(table);
  table.include(promise_flags(), &EvalFlags::promise)
      .include(evaluate_flags(), &EvalFlags::evaluate)
      .add({json_flag<EvalFlags>()});
  return command("eval", "metrics of a checkpoint, or of a file of detections", table, run_eval);
}

}  // namespace letterpress
