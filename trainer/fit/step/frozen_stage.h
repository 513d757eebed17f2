#pragma once
#include <optional>

#include "trainer/fit/opening/run.h"
#include "trainer/network/network.h"

namespace letterpress {

/// Which layers train: those of --freeze do not in stage one, or throughout.
class FrozenStage {
 public:
  /// run: outlives it.
  explicit FrozenStage(const Run& run) : run_(run) {}
  /// Freezes or thaws for the step that comes next: a function of the step, so that a resumed run
  /// is in the right stage. True when that changed something, and then `note` says it.
  bool enter(Network& network, const Note& note);

 private:
  const Run& run_;
  std::optional<bool> frozen_;  ///< none: before the first step
};

}  // namespace letterpress
