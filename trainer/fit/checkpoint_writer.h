#pragma once
#include <string>

#include "letterpress/base/clock.h"
#include "trainer/fit/opening/run.h"
#include "trainer/fit/session.h"
#include "trainer/fit/step/run_model.h"

namespace letterpress {

/// The options of a run as JSON, with "used": what became of those that leave something open.
std::string configuration_of(const Run& run, const RunModel& model);

/// When and what a run writes into its folder to go on from, or to be used. Of several ranks only
/// the first writes. Throws Error (io) naming the file, the one before it being whole.
class CheckpointWriter {
 public:
  /// All arguments outlive it.
  CheckpointWriter(Run& run, RunModel& model, const Session& session)
      : run_(run), model_(model), session_(session), written_step_(run.done.step) {}

  /// last.safetensors: all that --resume needs.
  void write_last();
  /// The same where --checkpoint-minutes have passed since the last one.
  bool is_due() const;
  /// After an epoch: best.safetensors where it is the best, and epoch-*.safetensors where
  /// --save-every asks for one. epochs_before: that were done before it.
  void write_epoch(bool is_best, std::int64_t epochs_before);

 private:
  void write(const std::string& name, bool for_training);

  Run& run_;
  RunModel& model_;
  const Session& session_;
  Clock::time_point written_at_ = Clock::now();
  std::int64_t written_step_;
};

}  // namespace letterpress
