#pragma once
#include <memory>
#include <optional>

#include "letterpress/base/file.h"
#include "trainer/fit/best_epoch.h"
#include "trainer/fit/log/run_log.h"
#include "trainer/fit/snapshot_follower.h"
#include "trainer/fit/snapshot_pins.h"
#include "trainer/fit/step_loop.h"
#include "trainer/fit/step_metrics.h"

namespace letterpress {

/// Holds the run's folder against other processes, and speaks from the first moment on.
struct HeldFolder {
  /// Checks the options and makes the folder. Throws Error (busy) when another process trains into
  /// it.
  explicit HeldFolder(const FitOptions& options);

  std::optional<FileLock> lock;  ///< the first rank's
  RunNotes notes;
};

/// The parts of a training, each with one job. Others refer to `run` and `model`: it stays where it
/// is.
struct TrainingParts {
  TrainingParts(std::unique_ptr<HeldFolder> held, OpenedTraining opened);
  TrainingParts(const TrainingParts&) = delete;
  TrainingParts& operator=(const TrainingParts&) = delete;

  std::unique_ptr<HeldFolder> folder;
  Note note;
  Run run;
  std::unique_ptr<RunModel> model;
  SnapshotPins pins;
  RunLog log;
  SnapshotFollower follower;
  StepLoop steps;
  StepMetrics metrics;
  std::unique_ptr<RunReading> reading;
};

/// Opens and checks everything, as Trainer's constructor says.
std::unique_ptr<TrainingParts> open_parts(const FitOptions& options);

}  // namespace letterpress
