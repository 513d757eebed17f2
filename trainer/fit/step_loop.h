#pragma once
#include "trainer/fit/log/loss_log.h"
#include "trainer/fit/log/memory_note.h"
#include "trainer/fit/opening/run.h"
#include "trainer/fit/step/frozen_stage.h"
#include "trainer/fit/step/picture_feed.h"
#include "trainer/fit/step/run_model.h"
#include "trainer/fit/step/step_input.h"

namespace letterpress {

/// What reads run.pictures: made anew when the run takes up others.
struct RunReading {
  /// All arguments outlive it. note: told how rows are read.
  RunReading(const Run& run, RunModel& model, const Note& note);

  PictureFeed feed;
  LossLog losses;
};

/// The optimiser steps of a run.
class StepLoop {
 public:
  /// All arguments outlive it.
  StepLoop(Run& run, RunModel& model, Note note);

  /// One optimiser step with the next batch, the totals of its loss into reading.losses. Nothing in
  /// it waits for the device.
  void step(RunReading& reading);
  /// When the run has taken up another snapshot.
  void take_up();

 private:
  void set_norm_momentum();
  std::int64_t first_row() const;
  torch::Tensor update(DeviceFeed& feed, std::vector<RowPlace>& places);
  void note_memory();

  Run& run_;
  RunModel& model_;
  Note note_;
  StepInput input_;
  FrozenStage stage_;
  MemoryNote memory_;
  bool replays_ = false;  ///< the step before was a replay of a CUDA graph
};

}  // namespace letterpress
