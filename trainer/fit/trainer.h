#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "trainer/fit/log/results_csv.h"
#include "trainer/fit/options/fit_options.h"

namespace letterpress {

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
  std::int64_t best_epoch = 0;                    ///< 0: nothing is monitored
  double best_map = -1, best_map50 = -1;          ///< of that epoch; -1: no val split
  std::optional<double>
      best_top1{};     ///< of that epoch; none: no classifier, or another figure is monitored
  double seconds = 0;  ///< of all sessions
  std::optional<double>
      last_loss{};  ///< per picture, of the last step; none: no step in this session
  std::int64_t skipped_steps =
      0;  ///< of all sessions: changed nothing, as their gradients were not finite
  bool diverged() const { return 2 * skipped_steps > step; }
};

/// A training from the store's rows to checkpoints. What it writes to the run folder:
///   configuration.json   effective flags
///   results.csv          a line per epoch
///   tensorboard/         event files: losses at each look, figures of each epoch; one file per
///   session last.safetensors     everything that --resume needs, after each epoch, every
///   checkpoint_minutes and on a signal best.safetensors     weights of the epoch with the best
///   monitored figure (without a val split or --monitor: of the newest epoch) epoch-*.safetensors
///   weights of every save_every-th epoch, the newest `keep` of them lock                 held
///   while it runs
/// The snapshot is pinned in the store until the run is complete. One thread; readers are the
/// loader's.
class Trainer {
 public:
  /// Opens and checks everything. Throws Error: usage for options, configuration where flags
  /// contradict run, store or machine, busy when another process trains into the same folder.
  explicit Trainer(const FitOptions& options);
  ~Trainer();

  /// Trains until the last epoch, a stalled figure, the end of the time budget or a signal
  /// (stop_signal()). Throws Error: data when the loss stops being finite, naming the rows; io when
  /// a checkpoint cannot be written, the one before it being whole.
  FitResult run();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace letterpress
