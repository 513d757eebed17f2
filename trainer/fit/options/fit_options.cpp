#include "trainer/fit/options/fit_options.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/commandline/require_flag.h"
#include "trainer/augment/batch_augmentation.h"
#include "trainer/checkpoint/checkpoint.h"
#include "trainer/device/device.h"
#include "trainer/exchange/start_weights.h"
#include "trainer/fit/options/derived_options.h"
#include "trainer/fit/options/monitor.h"
#include "trainer/fit/options/multi_scale.h"
#include "trainer/fit/options/shared_flags.h"
#include "trainer/loader/batch_loader.h"
#include "trainer/loader/sample_stream.h"

namespace letterpress {
namespace {

// How the machine is used: a run may go on with others.
template <class Options, class Visit>
void visit_machine_flags(Options& options, Visit visit) {
  visit("device", options.device);
  visit("gpus", options.gpus);
  visit("devices", options.devices);
  visit("cuda-graph", options.cuda_graph);
  visit("ranks", options.ranks);
  visit("threads", options.threads);
  visit("readers", options.readers);
  visit("read", options.read);
  visit("verify", options.verify);
  visit("read-deadline", options.read_deadline);
  visit("rank-deadline", options.rank_deadline);
  visit("checkpoint-minutes", options.checkpoint_minutes);
  visit("time-budget", options.time_budget);
  visit("log-every", options.log_every);
}

// The flags that belong to a run wherever it goes on; those of machine and folders do not.
template <class Options, class Visit>
void visit_flags(Options& options, Visit visit) {
  visit("model", options.model);
  visit("split", options.split);
  visit("val-split", options.val_split);
  visit("epochs", options.epochs);
  visit("clean-epochs", options.clean_epochs);
  visit("batch", options.batch);
  visit("accumulate", options.accumulate);
  visit("seed", options.seed);
  visit("order", options.order);
  visit("input-size", options.input_size);
  visit("multi-scale", options.multi_scale);
  visit("scale-every", options.scale_every);
  visit("on-device", options.on_device);
  visit("sync-batch-norm", options.sync_batch_norm);
  visit("optimiser", options.optimiser);
  visit("lr", options.lr);
  visit("momentum", options.momentum);
  visit("weight-decay", options.weight_decay);
  visit("clip", options.clip);
  visit("schedule", options.schedule);
  visit("final-fraction", options.final_fraction);
  visit("power", options.power);
  visit("drop-factor", options.drop_factor);
  visit("drop-every", options.drop_every);
  visit("plateau-patience", options.plateau_patience);
  visit("plateau-cooldown", options.plateau_cooldown);
  visit("warmup", options.warmup);
  visit("monitor", options.monitor);
  visit("mode", options.mode);
  visit("patience", options.patience);
  visit("min-delta", options.min_delta);
  visit("save-every", options.save_every);
  visit("keep", options.keep);
  visit("label-smoothing", options.label_smoothing);
  visit("class-weights", options.class_weights);
  visit("ema", options.ema);
  visit("freeze", options.freeze);
  visit("freeze-epochs", options.freeze_epochs);
  visit("freeze-lr", options.freeze_lr);
  visit("match", options.match);
  visit("replay", options.replay);
  visit("anchors", options.anchors);
  visit("precision", options.precision);
  visit("deterministic", options.deterministic);
}

}  // namespace

void validate(const FitOptions& options) {
  require_flag(!options.store.empty(), "store", "empty",
               "the folder that `letterpress-preprocess build` made");
  require_flag(!options.out.empty(), "out", "empty", "the folder of the run");
  match_named(options.match);
  if (!options.init.empty() && !options.pretrained.empty()) {
    throw Error("--init and --pretrained: both name start weights; give one of them", Exit::usage);
  }
  require_flag(options.epochs >= 1, "epochs", options.epochs, "1 or more");
  require_flag(options.clean_epochs >= -1 && options.clean_epochs <= options.epochs, "clean-epochs",
               options.clean_epochs, "0 to --epochs, or -1 for a tenth");
  require_flag(options.batch >= 1, "batch", options.batch, "1 or more");
  require_flag(options.accumulate >= 1 && options.batch % options.accumulate == 0, "accumulate",
               options.accumulate, "a divisor of --batch");
  require_flag(options.input_size >= 0 && options.input_size % 32 == 0, "input-size",
               options.input_size, "0 (the store's) or a multiple of 32 pixels");
  side_range_of(options.multi_scale);
  require_flag(options.scale_every >= 1, "scale-every", options.scale_every, "1 or more steps");
  if (options.cuda_graph && options.multi_scale != "none") {
    throw Error("--cuda-graph replays steps of one side, --multi-scale " + options.multi_scale +
                    " draws another one every " + std::to_string(options.scale_every) +
                    " steps; leave one of the two out",
                Exit::usage);
  }
  batch_augmentations(options.on_device);
  require_flag(options.lr >= 0, "lr", options.lr, "0 (the optimiser's own) or more");
  const double shorter_stage =
      options.freeze_epochs > 0
          ? std::min(options.freeze_epochs, options.epochs - options.freeze_epochs)
          : options.epochs;
  require_flag(
      options.warmup == -1 ||
          (options.warmup >= 0 && options.warmup <= std::max(0.0, shorter_stage)),
      "warmup", options.warmup,
      options.freeze_epochs > 0
          ? "0 epochs to all of the shorter stage, or -1 for one and at most a tenth of each"
          : "0 epochs to all of them, or -1 for one and at most a tenth");
  require_flag(options.drop_every >= 0, "drop-every", options.drop_every,
               "0 (a third of the run) or more epochs");
  require_flag(options.plateau_patience >= 0, "plateau-patience", options.plateau_patience,
               "0 epochs or more");
  require_flag(options.plateau_cooldown >= 0, "plateau-cooldown", options.plateau_cooldown,
               "0 epochs or more");
  require_flag(options.freeze_epochs >= 0, "freeze-epochs", options.freeze_epochs,
               "0 (throughout) or more");
  require_flag(options.freeze_epochs < options.epochs, "freeze-epochs", options.freeze_epochs,
               "under --epochs; 0 freezes throughout");
  require_flag(options.freeze_epochs == 0 || options.freeze != "none", "freeze-epochs",
               options.freeze_epochs, "given with --freeze");
  require_flag(options.freeze_lr >= 0, "freeze-lr", options.freeze_lr, "0 (as --lr) or more");
  require_flag(options.freeze_lr == 0 || options.freeze_epochs > 0, "freeze-lr", options.freeze_lr,
               "given with --freeze-epochs");
  require_flag(options.label_smoothing >= 0 && options.label_smoothing < 1, "label-smoothing",
               options.label_smoothing, "0 or more and under 1");
  require_flag(options.patience >= 0, "patience", options.patience,
               "0 (no early stop) or more epochs");
  require_flag(options.min_delta >= 0, "min-delta", options.min_delta, "0 or more");
  require_flag(options.time_budget >= 0, "time-budget", options.time_budget,
               "0 (none) or more minutes");
  require_flag(options.save_every >= 0, "save-every", options.save_every,
               "0 (never) or more epochs");
  require_flag(options.keep >= 0, "keep", options.keep, "0 (all) or more");
  require_flag(options.ranks >= 1, "ranks", options.ranks, "1 or more");
  require_threads(options.threads);
  require_readers(options.readers);
  require_flag(options.read_deadline > 0, "read-deadline", options.read_deadline, "over 0 seconds");
  require_flag(options.rank_deadline > 0, "rank-deadline", options.rank_deadline, "over 0 seconds");
  window_of(options.order);
  read_by_from(options.read);
  verify_rows_from(options.verify);
  require_flag(options.checkpoint_minutes > 0, "checkpoint-minutes", options.checkpoint_minutes,
               "over 0");
  require_flag(options.log_every >= 1, "log-every", options.log_every, "1 or more");
  if (options.snapshot != kFollow)
    require_snapshot(options.snapshot, "a generation's number, 'latest' or 'follow'");
  require_flag(options.replay >= 0 && options.replay <= 1, "replay", options.replay,
               "0 to 1, a share of the pictures known before");
  if (options.replay < 1 && options.init.empty() && options.snapshot != kFollow &&
      !options.resume) {
    throw Error(
        "--replay: there are no pictures known before; give --init or --snapshot follow, too",
        Exit::usage);
  }
  if (options.replay < 1 && window_of(options.order).block > 0) {
    throw Error(
        "--replay takes pictures from all over the store; --order window is not for it, leave one "
        "of them out",
        Exit::usage);
  }
  loss_options(options);
  validate_monitor(options.monitor, options.mode);
  validate_precision(options.precision);
  validate(optimiser_options(options));
  validate(schedule_options(options, 1, 1));
  if (options.ema != 0) validate(ema_options(options));
}

std::string to_json(const FitOptions& options) {
  nlohmann::json json{{"store", std::filesystem::absolute(options.store).string()},
                      {"out", std::filesystem::absolute(options.out).string()},
                      {"init", options.init.string()},
                      {"pretrained", options.pretrained.string()}};
  const auto put = [&json](const char* flag, const auto& value) { json[flag] = value; };
  visit_flags(options, put);
  visit_machine_flags(options, put);
  if (options.snapshot == kFollow)
    json["snapshot"] =
        kFollow;  // another one is where the run was begun, which its checkpoints say
  json["clean-epochs"] = clean_epochs_of(options);
  json["lr"] = learning_rate_of(options);
  return json.dump();
}

nlohmann::json flags_from_json(const std::string& text) {
  const nlohmann::json flags = nlohmann::json::parse(text, nullptr, false);
  return flags.is_object() ? flags : nlohmann::json();
}

FitOptions with_begun(FitOptions options, const nlohmann::json& begun,
                      const std::set<std::string>& given, const std::string& where) {
  const char* taken = "";
  const auto take = [&](const char* flag, auto& value) {
    taken = flag;
    if (begun.contains(flag) && !given.contains(flag)) begun.at(flag).get_to(value);
  };
  try {
    visit_flags(options, take);
    take("snapshot", options.snapshot);  // where the run follows
    // What was a tenth goes on being one, of --epochs as it is now.
    const bool was_tenth =
        begun.contains("epochs") && options.clean_epochs == begun.at("epochs").get<int>() / 10;
    if (was_tenth && !given.contains("clean-epochs")) options.clean_epochs = -1;
  } catch (const nlohmann::json::exception& error) {
    throw Error(where + ": --" + taken + " of the run cannot be read: " + error.what() +
                "; start a new run with --init");
  }
  return options;
}

FitOptions resumed_options(const FitOptions& options, const std::set<std::string>& given) {
  if (!options.resume || options.out.empty()) return options;
  const std::filesystem::path last = options.out / "last.safetensors",
                              configuration = options.out / "configuration.json";
  if (std::filesystem::exists(last))
    return with_begun(options, flags_from_json(read_checkpoint(last, true).info.configuration_json),
                      given, last.string());
  if (!std::filesystem::exists(configuration)) return options;
  // Killed before its first checkpoint: it begins again as it was begun.
  const nlohmann::json flags = flags_from_json(read_file(configuration));
  if (flags.is_null())
    throw Error(configuration.string() +
                ": is no JSON object of flags; remove it, or begin with another --out");
  FitOptions begun = with_begun(options, flags, given, configuration.string());
  if (given.contains("init") || given.contains("pretrained")) return begun;
  begun.init = flags.value("init", "");
  begun.pretrained = flags.value("pretrained", "");
  return begun;
}

std::vector<std::string> check_resumable(const FitOptions& options, const std::string& begun_json,
                                         const std::string& where) {
  static const std::set<std::string> kFixed{"model", "split",     "batch",     "seed",
                                            "order", "optimiser", "anchors",   "monitor",
                                            "mode",  "replay",    "input-size"};
  std::set<std::string> may_differ{
      "store", "out", "init",
      "pretrained"};  // a run may be moved; its start weights no longer matter
  visit_machine_flags(options,
                      [&may_differ](const char* flag, const auto&) { may_differ.insert(flag); });
  const nlohmann::json begun = flags_from_json(begun_json),
                       now = nlohmann::json::parse(to_json(options));
  if (begun.is_null())
    throw Error(where + ": does not say with which flags it was begun; start a new run with --init",
                Exit::configuration);
  std::vector<std::string> differences;
  std::string conflicts;
  for (const auto& [flag, value] : now.items()) {
    if (may_differ.contains(flag) || !begun.contains(flag) || begun.at(flag) == value) continue;
    const std::string text = "--" + flag + " is " + value.dump() + ", was " + begun.at(flag).dump();
    const bool averages_differ = flag == "ema" && (value == 0) != (begun.at(flag) == 0);
    if (kFixed.contains(flag) || averages_differ) {
      conflicts += (conflicts.empty() ? "" : "; ") + text;
    } else {
      differences.push_back(text);
    }
  }
  if (!conflicts.empty()) {
    throw Error(where + ": " + conflicts +
                    " when the run was begun; leave such flags out to go on with the run, or start "
                    "a new one with --init",
                Exit::configuration);
  }
  return differences;
}

double learning_rate_of(const FitOptions& options) {
  if (options.lr > 0) return options.lr;
  return options.optimiser == "sgd" ? 0.01 : 0.001;
}

int clean_epochs_of(const FitOptions& options) {
  return options.clean_epochs >= 0 ? options.clean_epochs : options.epochs / 10;
}

}  // namespace letterpress
