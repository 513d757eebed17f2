#include "trainer/fit/options/fit_options.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/models/graph.h"
#include "trainer/checkpoint/checkpoint.h"
#include "trainer/fit/options/fit_flags.h"

namespace letterpress {
namespace {

// Measured for yolov8n (scripts/study/rates.py); models with other losses keep what suited them.
constexpr double kRateOfTaskAligned = 0.004, kRateOfOthers = 0.001, kRateOfSgd = 0.01;

std::vector<FlagInfo> by_name(std::vector<FlagInfo> flags) {
  std::ranges::sort(flags, {}, &FlagInfo::name);
  return flags;
}

// What the run began with: it is in the records of all that it does.
FitOptions with_start(FitOptions options, const nlohmann::json& begun) {
  if (!begun.is_object()) return options;
  options.init = begun.value("init", "");
  options.pretrained = begun.value("pretrained", "");
  return options;
}

}  // namespace

void validate(const FitOptions& options) {
  fit_flags().check(options);
  to_json(options);  // what cannot be stored is refused before anything is made
}

void validate_but_out(FitOptions options) {
  if (options.out.empty()) options.out = ".";
  validate(options);
}

std::string to_json(const FitOptions& options) {
  return nlohmann::json::parse(fit_flags().to_json(options)).dump();  // by name
}

nlohmann::json flags_from_json(const std::string& text) {
  const nlohmann::json flags = nlohmann::json::parse(text, nullptr, false);
  return flags.is_object() ? flags : nlohmann::json();
}

FitOptions with_begun(FitOptions options, const nlohmann::json& begun,
                      const std::set<std::string>& given, const std::string& where) {
  fit_flags().take_over(begun.dump(), given,
                        {.where = where, .what = "the run", .fix = "start a new run with --init"},
                        options);
  return options;
}

FitOptions resumed_options(const FitOptions& options, const std::set<std::string>& given) {
  if (!options.resume || options.out.empty()) return options;
  const std::filesystem::path last = options.out / "last.safetensors",
                              configuration = options.out / "configuration.json";
  if (std::filesystem::exists(last)) {
    const nlohmann::json flags =
        flags_from_json(read_checkpoint(last, true).info.configuration_json);
    return with_start(with_begun(options, flags, given, last.string()), flags);
  }
  if (!std::filesystem::exists(configuration)) return options;
  // Killed before its first checkpoint: it begins again as it was begun.
  const nlohmann::json flags = flags_from_json(read_file(configuration));
  if (flags.is_null())
    throw Error({configuration.string(), "is not a JSON object of flags",
                 "remove it, or begin with another --out"});
  FitOptions begun = with_begun(options, flags, given, configuration.string());
  const bool starts_elsewhere = given.contains("init") || given.contains("pretrained");
  return starts_elsewhere ? begun : with_start(begun, flags);
}

std::vector<std::string> check_resumable(const FitOptions& options, const std::string& begun_json,
                                         const std::string& where) {
  const nlohmann::json begun = flags_from_json(begun_json),
                       now = nlohmann::json::parse(to_json(options));
  if (begun.is_null())
    throw Error(
        {where, "does not say with which flags it was begun", "start a new run with --init"},
        Exit::configuration);
  std::vector<std::string> differences;
  std::string conflicts;
  for (const FlagInfo& info : by_name(fit_flags().infos())) {
    const std::string& flag = info.name;
    // A run may be moved; its start weights no longer matter.
    if (info.life == FlagLife::here || !now.contains(flag) || !begun.contains(flag)) continue;
    const nlohmann::json &is = now.at(flag), &was = begun.at(flag);
    if (is == was) continue;
    const std::string text = "--" + flag + " is " + is.dump() + ", was " + was.dump();
    const bool averages_differ = flag == "ema" && (is == 0) != (was == 0);
    if (info.life == FlagLife::fixed || averages_differ) {
      conflicts += (conflicts.empty() ? "" : "; ") + text;
    } else {
      differences.push_back(text);
    }
  }
  if (!conflicts.empty()) {
    throw Error({where, conflicts + " when the run was begun",
                 "leave such flags out to go on with the run, or start a new one with --init"},
                Exit::configuration);
  }
  return differences;
}

double learning_rate_of(const FitOptions& options) {
  if (options.lr > 0) return options.lr;
  if (options.optimiser == "sgd") return kRateOfSgd;
  constexpr int kSideOfAll = 224;  // that every model can be made for
  return make_model(options.model, {.side = kSideOfAll}).loss == "task-aligned" ? kRateOfTaskAligned
                                                                                : kRateOfOthers;
}

std::string learning_rate_rule() {
  const auto text = [](double rate) { return to_text({.name = ""}, rate); };
  return text(kRateOfOthers) + " for adam and adamw, with yolov8 and yolo11 " +
         text(kRateOfTaskAligned) + "; " + text(kRateOfSgd) + " for sgd";
}

int clean_epochs_of(const FitOptions& options) {
  return options.clean_epochs >= 0 ? options.clean_epochs : options.epochs / 10;
}

}  // namespace letterpress
