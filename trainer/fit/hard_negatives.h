#pragma once
#include "trainer/fit/opening/run.h"
#include "trainer/fit/session.h"
#include "trainer/fit/step/run_model.h"

namespace letterpress {

/// --hard-negatives: the losses of pictures without boxes, to which nothing but false detections
/// adds. Clean rows, the weights to use. At the end of each epoch a quarter of an epoch's pictures
/// is measured, in turn, so that it takes a tenth of the time of an epoch at most.
class HardNegatives {
 public:
  /// All arguments outlive it.
  HardNegatives(Run& run, RunModel& model, const Session& session)
      : run_(run), model_(model), session_(session) {}

  /// After `epoch` epochs: measures the next ones into run.done.background_losses; from then on
  /// Run::repeats() goes by them. False: stopped, nothing has changed. Collective.
  bool measure(std::int64_t epoch);
  bool any() const { return !run_.pictures.repeated.backgrounds.empty(); }

 private:
  Run& run_;
  RunModel& model_;
  const Session& session_;
};

}  // namespace letterpress
