#pragma once
#include <memory>

#include "letterpress/base/stop_request.h"
#include "trainer/fit/fit_result.h"
#include "trainer/fit/options/fit_options.h"

namespace letterpress {

struct TrainingParts;

/// A training from the store's rows to checkpoints. What it writes to the run folder:
///   configuration.json   effective flags
///   results.csv          a line per epoch
///   tensorboard/         event files, one per session: losses at each flush, metrics of each epoch
///   last.safetensors     everything that --resume needs, after each epoch, every
///                        checkpoint_minutes and on a signal
///   best.safetensors     weights of the epoch with the best monitored metric (without a val split
///                        or --monitor: of the newest epoch)
///   epoch-*.safetensors  weights of every save_every-th epoch, the newest `keep` of them
///   lock                 held while it runs
/// The snapshot is pinned in the store until the run is complete. One thread; readers are the
/// loader's.
class Trainer {
 public:
  /// Opens and checks everything. Throws Error: usage for options, configuration where they
  /// conflict with the run, the store or the machine, busy when another process trains into the
  /// same folder.
  explicit Trainer(const FitOptions& options);
  ~Trainer();

  /// Trains until the last epoch, too many epochs without improvement, the end of the time budget
  /// or a stop request, which outlives the call. Throws Error: data when the loss stops being
  /// finite, naming the rows; io when a checkpoint cannot be written, the one before it being
  /// whole.
  FitResult run(const StopRequest& stop = {});

 private:
  std::unique_ptr<TrainingParts> parts_;
};

}  // namespace letterpress
