#pragma once
#include <optional>
#include <string>

#include "trainer/fit/opening/run.h"
#include "trainer/fit/step/run_model.h"

namespace letterpress {

/// Whether a training has learned its stored views by heart: then the loss on the clean rows of the
/// same pictures, which no epoch before the clean ones reads, is larger than that on the views.
class MemorisedViews {
 public:
  /// Both outlive it. A run that follows snapshots and goes on counts its views from there: who
  /// knows since when it has had them.
  MemorisedViews(const Run& run, RunModel& model)
      : run_(run),
        model_(model),
        begun_(run.options.snapshot == kFollow ? run.done.epochs_done : 0) {}

  /// Other views are trained on, after so many epochs.
  void begin(std::int64_t epochs);

  /// After `epoch` epochs, on the first rank: "memorised: the loss on 32 clean pictures is 7.2, on
  /// their views, each seen 8 times, 5.9; ..."; nothing where the clean loss is at most a tenth
  /// larger, or was not the last time, or it was said. Looks at 32 pictures, each time that all
  /// views were seen once more, from the second time on and behind a third of the epochs: in the
  /// first ones the norms' statistics are those of a few steps, and losses compare nothing. Views
  /// of a newer snapshot count from when they are taken up. With the weights that train, which are
  /// ahead of their EMA; changes nothing of the run.
  std::optional<std::string> after(std::int64_t epoch);

 private:
  bool is_due(std::int64_t epoch) const;
  std::int64_t times_seen(std::int64_t epoch) const;

  const Run& run_;
  RunModel& model_;
  std::int64_t begun_ = 0;  ///< epochs before these views
  int found_ = 0;           ///< looks in a row
};

/// When an augmented view is to be seen more than five times: "each of the 4 augmented views will
/// be seen 9 times ...", with the number of views needed; nothing with --snapshot follow.
std::optional<std::string> note_of_few_views(const FitOptions& options, int views);

}  // namespace letterpress
