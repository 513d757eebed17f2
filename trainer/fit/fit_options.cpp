#include "trainer/fit/fit_options.h"

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "letterpress/base/error.h"
#include "trainer/fit/device.h"
#include "trainer/fit/part_options.h"

namespace letterpress {
namespace {

template <class T>
void require(bool valid, const char* flag, const T& got, const char* wanted) {
  if (valid) return;
  std::ostringstream text;
  text << "--" << flag << " is " << got << ", must be " << wanted;
  throw Error(text.str(), Exit::usage);
}

void require_snapshot(const std::string& snapshot) {
  const bool number = !snapshot.empty() && snapshot.size() <= 18 && snapshot.find_first_not_of("0123456789") == std::string::npos;
  require(snapshot.empty() || snapshot == "latest" || number, "snapshot", "'" + snapshot + "'", "a generation's number or 'latest'");
}

}  // namespace

void validate(const FitOptions& options) {
  require(!options.store.empty(), "store", "empty", "the folder that `letterpress-preprocess build` made");
  require(!options.out.empty(), "out", "empty", "the folder of the run");
  require(options.epochs >= 1, "epochs", options.epochs, "1 or more");
  require(options.clean_epochs >= -1 && options.clean_epochs <= options.epochs, "clean-epochs", options.clean_epochs,
          "0 to --epochs, or -1 for a tenth");
  require(options.batch >= 1, "batch", options.batch, "1 or more");
  require(options.accumulate >= 1 && options.batch % options.accumulate == 0, "accumulate", options.accumulate, "a divisor of --batch");
  require(options.lr >= 0, "lr", options.lr, "0 (the optimiser's own) or more");
  require(options.warmup >= 0, "warmup", options.warmup, "0 epochs or more");
  require(options.threads >= 0, "threads", options.threads, "0 (all cores) or more");
  require(options.readers >= 0, "readers", options.readers, "0 (as many as fit) or more");
  require(options.checkpoint_minutes > 0, "checkpoint-minutes", options.checkpoint_minutes, "over 0");
  require(options.log_every >= 1, "log-every", options.log_every, "1 or more");
  require_snapshot(options.snapshot);
  validate_precision(options.precision);
  validate(optimiser_options(options));
  validate(schedule_options(options, 1, 1));
  if (options.ema != 0) validate(average_options(options));
}

std::string to_json(const FitOptions& options) {
  return nlohmann::json{{"store", std::filesystem::absolute(options.store).string()},
                        {"model", options.model},
                        {"out", std::filesystem::absolute(options.out).string()},
                        {"split", options.split},
                        {"val-split", options.val_split},
                        {"epochs", options.epochs},
                        {"clean-epochs", clean_epochs_of(options)},
                        {"batch", options.batch},
                        {"accumulate", options.accumulate},
                        {"seed", options.seed},
                        {"optimiser", options.optimiser},
                        {"lr", learning_rate_of(options)},
                        {"momentum", options.momentum},
                        {"weight-decay", options.weight_decay},
                        {"clip", options.clip},
                        {"schedule", options.schedule},
                        {"final-fraction", options.final_fraction},
                        {"warmup", options.warmup},
                        {"ema", options.ema},
                        {"anchors", options.anchors},
                        {"init", options.init.string()},
                        {"precision", options.precision},
                        {"deterministic", options.deterministic}}
      .dump();
}

std::vector<std::string> check_resumable(const FitOptions& options, const std::string& begun_json, const std::string& where) {
  static const std::set<std::string> kFixed{"model", "split", "batch", "seed", "optimiser", "anchors"};
  static const std::set<std::string> kFree{"store", "out", "init"};  // a run may be moved; its start weights no longer matter
  const nlohmann::json begun = nlohmann::json::parse(begun_json, nullptr, false), now = nlohmann::json::parse(to_json(options));
  if (!begun.is_object())
    throw Error(where + ": does not say with which flags it was begun; start a new run with --init", Exit::configuration);
  std::vector<std::string> differences;
  for (const auto& [flag, value] : now.items()) {
    if (kFree.contains(flag) || !begun.contains(flag) || begun.at(flag) == value) continue;
    const std::string text = "--" + flag + " is " + value.dump() + ", was " + begun.at(flag).dump();
    const bool averages_differ = flag == "ema" && (value == 0) != (begun.at(flag) == 0);
    if (kFixed.contains(flag) || averages_differ) {
      throw Error(where + ": " + text + " when the run was begun; resume with the old value, or start a new run with --init",
                  Exit::configuration);
    }
    differences.push_back(text);
  }
  return differences;
}

double learning_rate_of(const FitOptions& options) {
  if (options.lr > 0) return options.lr;
  return options.optimiser == "sgd" ? 0.01 : 0.001;
}

int clean_epochs_of(const FitOptions& options) { return options.clean_epochs >= 0 ? options.clean_epochs : options.epochs / 10; }

}  // namespace letterpress
