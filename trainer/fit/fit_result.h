#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "trainer/fit/opening/epoch_result.h"
#include "trainer/fit/opening/run_state.h"

namespace letterpress {

struct Run;

enum class Ending { complete, stalled, signal, out_of_time };
/// "complete", "stalled", "signal", "out of time".
std::string to_string(Ending ending);

struct FitResult {
  Ending ending =
      Ending::complete;   ///< stalled: --patience was used up; out_of_time: --time-budget was
  int signal = 0;         ///< SIGINT or SIGTERM when one ended it early, with a checkpoint; else 0
  std::int64_t step = 0;  ///< optimiser steps done, of all sessions
  std::int64_t epochs_done = 0;
  std::optional<EpochResult::Metrics> metrics{};  ///< of the last epoch
  std::map<std::string, double>
      last_mean{};  ///< means over the last three epochs, as named_metrics(); empty: no val split
  std::int64_t best_epoch = 0;            ///< 0: nothing is monitored
  double best_map = -1, best_map50 = -1;  ///< of that epoch; -1: no val split
  std::optional<double>
      best_top1{};     ///< of that epoch; none: no classifier, or another metric is monitored
  double seconds = 0;  ///< of all sessions
  std::int64_t peak_memory = 0;  ///< bytes, as peak_memory(), of this session on the first rank
  std::optional<double>
      last_loss{};  ///< per picture, of the last step; none: no step in this session
  std::int64_t skipped_steps =
      0;  ///< of all sessions: changed nothing, as their gradients were not finite
  std::int64_t steps_without_target =
      0;  ///< of all sessions, the last in a row: boxes, none of which became a target
  bool found_nothing = false;                  ///< in the val split, in no epoch
  bool collapsed = false;                      ///< has_collapsed()
  double first_loss = 0, most_epoch_loss = 0;  ///< as in RunState
  bool diverged() const {
    return has_diverged(step, skipped_steps, steps_without_target) || collapsed;
  }
};

/// Of a run that found nothing and did not collapse: what to do. Else empty.
std::string note_of_nothing_found(const FitResult& result);

/// What there is to say of a run without how its session ended.
FitResult result_of(const Run& run);

}  // namespace letterpress
