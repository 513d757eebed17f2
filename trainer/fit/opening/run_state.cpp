#include "trainer/fit/opening/run_state.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

// An epoch may be a single step, which may have had no target by chance.
constexpr std::int64_t kFewSteps = 10;

nlohmann::json json_of(const BestSoFar& best) {
  return {{"value", best.value ? nlohmann::json(*best.value) : nlohmann::json()},
          {"stalled", best.stalled}};
}

Error unreadable(const std::string& why) {
  return Error(
      {.what = "its training state cannot be read: " + why, .fix = "start a new run with --init"});
}

// Counts of what a run has done, so small that sums and products of two of them are exact.
std::int64_t count(const nlohmann::json& json, const char* name) {
  constexpr std::uint64_t kMost = 1U << 31;
  const nlohmann::json& value = json.at(name);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMost)
    throw unreadable(name + std::string(" is ") +
                     value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
                     ", must be a whole number from 0 to " + std::to_string(kMost));
  return value.get<std::int64_t>();
}

// Older checkpoints do not have all.
std::int64_t count_or_0(const nlohmann::json& json, const char* name) {
  return json.contains(name) ? count(json, name) : 0;
}

BestSoFar best_from(const nlohmann::json& json) {
  BestSoFar best;
  if (const nlohmann::json& value = json.at("value"); !value.is_null())
    best.value = value.get<double>();
  best.stalled = count(json, "stalled");
  return best;
}

}  // namespace

bool has_diverged(const RunState& state) {
  const std::int64_t lost = state.steps_without_target;
  // Of the pictures that are read now: epochs of others may have been shorter.
  const std::int64_t epochs = state.epochs_done - state.first_epoch,
                     steps = state.step - state.first_step;
  const bool lost_an_epoch = lost >= kFewSteps && epochs > 0 && lost * epochs >= steps;
  return has_collapsed(state) || lost_an_epoch ||
         2 * std::max(state.skipped_steps, state.steps_without_target) > state.step;
}

std::string to_json(const RunState& state) {
  return nlohmann::json{{"step", state.step},
                        {"epochs_done", state.epochs_done},
                        {"elapsed_s", state.elapsed_s},
                        {"best", json_of(state.best)},
                        {"stopping", json_of(state.stopping)},
                        {"plateau", json_of(state.plateau.best)},
                        {"plateau_reduction", state.plateau.reduction},
                        {"plateau_cooling", state.plateau.cooling},
                        {"best_map", state.best_map},
                        {"best_map50", state.best_map50},
                        {"best_epoch", state.best_epoch},
                        {"last_metrics", state.last_metrics},
                        {"skipped_steps", state.skipped_steps},
                        {"steps_without_target", state.steps_without_target},
                        {"most_map50", state.most_map50},
                        {"first_loss", state.first_loss},
                        {"most_epoch_loss", state.most_epoch_loss},
                        {"last_epoch_loss", state.last_epoch_loss},
                        {"first_step", state.first_step},
                        {"first_epoch", state.first_epoch},
                        {"known_snapshot", state.known},
                        {"background_losses", state.background_losses},
                        {"epoch_terms", state.epoch.terms},
                        {"epoch_normaliser", state.epoch.normaliser},
                        {"epoch_samples", state.epoch.samples},
                        {"epoch_train_s", state.epoch.train_s},
                        {"epoch_waited_s", state.epoch.waited_s}}
      .dump();
}

RunState run_state_from_json(const std::string& text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    RunState state;
    state.step = count(json, "step");
    state.epochs_done = count(json, "epochs_done");
    json.at("elapsed_s").get_to(state.elapsed_s);
    json.at("best_map").get_to(state.best_map);
    json.at("best_map50").get_to(state.best_map50);
    state.best_epoch = count(json, "best_epoch");
    if (json.contains("last_metrics")) json.at("last_metrics").get_to(state.last_metrics);
    state.skipped_steps = count_or_0(json, "skipped_steps");
    state.steps_without_target = count_or_0(json, "steps_without_target");
    state.most_map50 = json.value("most_map50", state.best_map50);
    state.first_loss = json.value("first_loss", 0.0);
    state.most_epoch_loss = json.value("most_epoch_loss", 0.0);
    state.last_epoch_loss = json.value("last_epoch_loss", 0.0);
    state.first_step = count_or_0(json, "first_step");
    state.first_epoch = count_or_0(json, "first_epoch");
    state.known = count_or_0(json, "known_snapshot");
    if (json.contains("background_losses"))
      json.at("background_losses").get_to(state.background_losses);
    if (json.contains("stopping")) {
      state.best = best_from(json.at("best"));
      state.stopping = best_from(json.at("stopping"));
      state.plateau = {json.at("plateau_reduction"), best_from(json.at("plateau")),
                       count(json, "plateau_cooling")};
    } else if (state.best_epoch > 0) {
      state.best.value = state.best_map;
    }
    json.at("epoch_terms").get_to(state.epoch.terms);
    json.at("epoch_normaliser").get_to(state.epoch.normaliser);
    state.epoch.samples = count(json, "epoch_samples");
    json.at("epoch_train_s").get_to(state.epoch.train_s);
    json.at("epoch_waited_s").get_to(state.epoch.waited_s);
    return state;
  } catch (const nlohmann::json::exception& error) {
    throw unreadable(error.what());
  }
}

}  // namespace letterpress
