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
  /// Both outlive it.
  MemorisedViews(const Run& run, RunModel& model) : run_(run), model_(model) {}

  /// After `epoch` epochs, on the first rank: "memorised: the loss on 32 clean pictures is 7.2, on
  /// their views, each seen 8 times, 5.9; ..."; nothing where the clean loss is at most a tenth
  /// larger, or it was said. Looks at 32 pictures, each time that all views were seen once more,
  /// from the second time on. With the weights that train, which are ahead of their EMA; changes
  /// nothing of the run.
  std::optional<std::string> after(std::int64_t epoch);

 private:
  bool is_due(std::int64_t epoch) const;

  const Run& run_;
  RunModel& model_;
  bool said_ = false;
};

/// When an augmented view is to be seen more than five times: "each of the 4 augmented views will
/// be seen 9 times ...", with the number of views needed.
std::optional<std::string> note_of_few_views(const FitOptions& options, int views);

}  // namespace letterpress
