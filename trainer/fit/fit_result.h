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

/// What a session of a training came to.
struct FitResult {
  /// stalled: --patience was used up; out_of_time: --time-budget was.
  Ending ending = Ending::complete;
  int signal = 0;   ///< what ended it early, with a checkpoint; else 0
  RunState done{};  ///< in all sessions
  std::optional<EpochResult::Metrics> metrics{};  ///< of the last epoch
  std::map<std::string, double>
      last_mean{};  ///< means over the last three epochs, as named_metrics(); empty: no val split
  std::optional<double>
      best_top1{};     ///< of the best epoch; none: no classifier, or another metric is monitored
  double seconds = 0;  ///< of all sessions
  std::int64_t peak_memory = 0;  ///< bytes, as peak_memory(), of this session on the first rank
  std::optional<double>
      last_loss{};  ///< per picture, of the last step; none: no step in this session
};

/// Of a run that found nothing and did not collapse: what to do. Else empty.
std::string note_of_nothing_found(const RunState& done);

/// What there is to say of a run without how its session ended.
FitResult result_of(const Run& run);

}  // namespace letterpress
