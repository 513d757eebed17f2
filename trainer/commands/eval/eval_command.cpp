#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>

#include "letterpress/base/error.h"
#include "letterpress/commandline/program.h"
#include "letterpress/shards/store.h"
#include "letterpress/shards/tiles.h"
#include "trainer/checkpoint/find_checkpoint.h"
#include "trainer/checkpoint/network_weights.h"
#include "trainer/commands/commands.h"
#include "trainer/commands/eval/class_metrics.h"
#include "trainer/commands/eval/detection_doubts.h"
#include "trainer/commands/eval/eval_flags.h"
#include "trainer/commands/eval/eval_metrics.h"
#include "trainer/commands/eval/eval_pictures.h"
#include "trainer/fit/evaluation/tile_results.h"
#include "trainer/fit/opening/model_for_store.h"
#include "trainer/fit/opening/opened_split.h"
#include "trainer/fit/options/fit_options.h"
#include "trainer/fit/options/snapshot_flag.h"

namespace letterpress {
namespace {

/// What is measured: both as COCO's files have them.
struct Measured {
  CocoGroundTruth ground_truth;
  std::vector<CocoResult> found{};
  std::map<std::int64_t, std::int64_t> in_no_tile{};  ///< labels, by image id
};

OpenedSplit split_of(const EvalFlags& flags) {
  return open_split(flags.store, flags.snapshot, flags.split);
}

std::vector<LedgerEntry> ledger_of(const OpenedSplit& split) {
  return split.store.ledger(split.reader.snapshot().generation);
}

/// The objects that no tile shows, into the pictures, by ascending image id. How many they are.
std::int64_t add_unseen(const Measured& measured, std::vector<PictureResult>& pictures) {
  std::map<std::int64_t, std::int64_t> unseen;
  for (const CocoGroundTruth::Image& image : measured.ground_truth.images) unseen[image.id] = 0;
  for (const auto& [id, labels] : measured.in_no_tile) unseen[id] = labels;
  std::int64_t all = 0, place = 0;
  for (const auto& [id, labels] : unseen) {
    pictures[static_cast<std::size_t>(place++)].unseen = labels;
    all += labels;
  }
  return all;
}

void say_unseen(std::int64_t unseen, std::size_t labels) {
  if (unseen == 0) return;
  std::cerr << unseen << " of " << static_cast<std::size_t>(unseen) + labels
            << " labels are in no tile of the store: no network of tiles finds them. The metrics "
               "leave them out; their pictures have a defect, and --promise takes them for missed. "
               "Larger tiles (build --tile) show them\n";
}

// Where no tile was stored nothing is found, and nothing wrongly.
void say_tiles_left_out(const EvalFlags& flags, const OpenedSplit& split) {
  const auto rule = tile_rule_of_recipe(split.reader.snapshot().identity.recipe_json);
  if (!rule || rule->background >= 1 || flags.split != "train") return;
  std::cerr << "of the tiles of split 'train' without a box the store holds a share of "
            << rule->background
            << " (build --background-tiles): what is wrongly found in the others is not counted, "
               "and precision and mAP are too good. Splits val and test have all tiles\n";
}

// Of two classes with one name, with their ids.
std::vector<std::string> class_names_of(const CocoGroundTruth& ground_truth) {
  std::map<std::string, int> times;
  for (const CocoGroundTruth::Category& category : ground_truth.categories) ++times[category.name];
  std::vector<std::string> names;
  for (const auto& [id, name] : ground_truth.categories)
    names.push_back(times.at(name) == 1 ? name : name + " (" + std::to_string(id) + ")");
  return names;
}

// Who compares the files with those of another program by id would find nothing.
void say_fault_of_ids(const EvalFlags& flags, const OpenedSplit& split,
                      const std::vector<LedgerEntry>& ledger) {
  if (flags.coco_out.empty() && flags.coco_ground_truth_out.empty()) return;
  const std::string fault = fault_of_ids(source_pictures(split.reader, split.pictures), ledger);
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
      : progress("evaluating", static_cast<std::int64_t>(split.pictures.size()),
                 holds_tiles(split.reader) ? "tiles" : "pictures"),
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
  say_tiles_left_out(flags, split);
  Measuring measuring(flags, checkpoint, split);
  const auto results =
      detect_pictures(*measuring.network, split.reader, split.pictures, measuring.options);
  if (!results) return std::nullopt;
  Measured measured{ground_truth_of(split.reader, split.pictures, ledger, *results)};
  measured.in_no_tile =
      labels_in_no_tile(split.reader, split.pictures, ledger, measured.ground_truth);
  for (std::size_t i = 0; i < results->size(); ++i) {
    for (const Found& one : (*results)[i].found) {
      const std::int64_t category =
          measured.ground_truth.categories[static_cast<std::size_t>(one.class_id)].id;
      measured.found.push_back({measured.ground_truth.images[i].id, category, one.box, one.score});
    }
  }
  return measured;
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
    pictures = source_pictures(split.reader, split.pictures);
    say_fault_of_ids(flags, split, ledger);
    measured.ground_truth = ground_truth_of(split.reader, split.pictures, ledger);
    measured.in_no_tile =
        labels_in_no_tile(split.reader, split.pictures, ledger, measured.ground_truth);
  }
  DetectionIndex index(measured.ground_truth, flags.detections.string());
  index.add_ledger(ledger, pictures);
  measured.found = index.resolve(found);
  for (const std::string& doubt : detection_doubts(measured.ground_truth, measured.found))
    std::cerr << flags.detections.string() << ": " << doubt << "\n";
  if (index.left_out() > 0)
    std::cerr << index.left_out()
              << " detections are of pictures that the store knows, but not in split '"
              << flags.split << "'; they are left out\n";
  return measured;
}

/// The checkpoint that is measured.
struct MeasuredCheckpoint {
  std::filesystem::path file;
  const CheckpointInfo& info;
};

// Whether the store holds what the model was trained on, under this name or another.
bool is_of_store(const CheckpointInfo& info, const std::filesystem::path& recorded,
                 const Store& store) {
  std::error_code ignored;
  if (std::filesystem::equivalent(recorded, store.folder(), ignored)) return true;
  return std::ranges::any_of(store.generations(), [&](std::int64_t generation) {
    return store.snapshot(generation).logical_digest.hex() == info.snapshot_digest;
  });
}

// A promise holds for pictures like those that it was measured on, and a model misses fewer of
// those that it was trained on.
void say_learnt_split(const EvalFlags& flags, const CheckpointInfo& info) {
  const nlohmann::json begun = flags_from_json(info.configuration_json);
  if (begun.is_null() || begun.value("split", "") != flags.split) return;
  if (!is_of_store(info, begun.value("store", ""), Store::open(flags.store))) return;
  std::cerr << "--promise is measured on split '" << flags.split
            << "', which the model was trained on: it misses more in other pictures. Measure it on "
               "pictures that no training has read (--split val or test)\n";
}

/// What --promise asks for; kept in the checkpoint that was measured, null: a file's detections.
void keep_promise(const EvalFlags& flags, const std::vector<PictureResult>& pictures, int classes,
                  const MeasuredCheckpoint* checkpoint, nlohmann::json& summary) {
  const auto promise = flags.promise.promise();
  if (!promise) return;
  if (checkpoint) say_learnt_split(flags, checkpoint->info);
  const KeptPromise kept = kept_or_error(pictures, classes, *promise);
  print(*promise, kept, std::cout);
  summary["promise"] = json_of(*promise, kept);
  if (checkpoint) keep_in(checkpoint->file, checkpoint->info, *promise, kept);
}

int report(const EvalFlags& flags, const std::optional<Measured>& measured,
           const MeasuredCheckpoint* checkpoint = nullptr) {
  if (!measured) return 128 + stop_by_signal().signal();
  if (!flags.coco_out.empty()) write_coco_results(flags.coco_out, measured->found);
  if (!flags.coco_ground_truth_out.empty())
    write_coco_ground_truth(flags.coco_ground_truth_out, measured->ground_truth);
  const std::vector<std::string> classes = class_names_of(measured->ground_truth);
  std::vector<PictureResult> pictures = picture_results(measured->ground_truth, measured->found);
  const std::int64_t unseen = add_unseen(*measured, pictures);
  say_unseen(unseen, measured->ground_truth.annotations.size());
  const EvalMetrics metrics = eval_metrics(pictures, classes, flags.metrics);
  print(metrics, std::cout);
  nlohmann::json summary = json_of(metrics);
  summary["labels_in_no_tile"] = unseen;
  // What was measured is told even when nothing can be promised.
  const auto tell = [&] {
    if (flags.json) std::cout << summary.dump() << "\n";
  };
  try {
    keep_promise(flags, pictures, static_cast<int>(classes.size()), checkpoint, summary);
  } catch (const Error& error) {
    tell();
    throw ToldError(error);
  }
  tell();
  return 0;
}

int run_eval(const EvalFlags& flags) {
  check_outputs(flags);
  if (flags.checkpoint.empty()) return report(flags, measure_file(flags));
  const std::filesystem::path file = find_checkpoint(flags.checkpoint, "checkpoint", &std::cerr);
  if (!flags.promise.text.empty()) check_can_keep(file);
  const Checkpoint checkpoint = read_checkpoint(file, true);
  const OpenedSplit split = split_of(flags);
  check_fits(checkpoint.info, split.reader.snapshot(), file.string());
  check_labels(checkpoint.info.graph, split.reader.snapshot(), flags.store.string());
  if (is_classifier(checkpoint.info.graph)) return measure_classifier(flags, checkpoint, split);
  const MeasuredCheckpoint measured{file, checkpoint.info};
  return report(flags, measure_checkpoint(flags, checkpoint, split), &measured);
}

}  // namespace

Command eval_command() {
  return command("eval", "metrics of a checkpoint, or of a file of detections", eval_flags(),
                 run_eval);
}

}  // namespace letterpress
