#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"
#include "trainer/fit/opening/epoch_plan.h"
#include "trainer/fit/opening/epoch_result.h"
#include "trainer/fit/opening/repeated_pictures.h"
#include "trainer/fit/opening/run_state.h"
#include "trainer/fit/options/derived_options.h"
#include "trainer/fit/options/fit_options.h"
#include "trainer/fit/options/monitor.h"

namespace letterpress {

using Note = std::function<void(const std::string& text)>;

/// A snapshot and what a run reads of it.
struct RunPictures {
  SnapshotReader reader;
  std::vector<PictureRows> train;
  std::vector<PictureRows> val;  ///< none where none of them has ground truth
  std::size_t unlabelled = 0;    ///< pictures of the val split then
  std::int64_t replayed = 0;    ///< how many of `train`, the last ones, an earlier snapshot has too
  RepeatedPictures repeated{};  ///< of `train`
};
/// "split 'val' is empty: no metrics" or that none of its pictures has ground truth; nothing where
/// there are metrics.
std::optional<std::string> why_no_metrics(const RunPictures& pictures, const FitOptions& options);
/// known: the snapshot whose pictures are replayed; 0: none. Throws Error as some_pictures_of(),
/// val_pictures_of() and put_known_last() do.
RunPictures open_pictures(const Store& store, Snapshot snapshot, const FitOptions& options,
                          std::int64_t known);

/// What a run works on and how far it is.
struct Run {
  FitOptions options;  ///< as they are applied: the batch limited, class weights counted
  Store store;
  RunPictures pictures;
  RunState done{};
  EpochPlan plan{};
  RunSchedule schedule{};
  std::optional<EpochResult::Metrics> metrics{};  ///< of the last epoch that was measured
  std::optional<Monitor> monitor{};               ///< none: there is nothing to go by
  std::set<std::string> frozen_layers{};          ///< in stage one, or throughout

  const Snapshot& snapshot() const { return pictures.reader.snapshot(); }
  /// Learning rate of the step after `steps` steps.
  double rate(std::int64_t steps) const;
  /// Pictures that come more often, by the losses measured so far.
  Repeats repeats() const {
    return repeats_of(pictures.repeated, pictures.train.size(), done.background_losses,
                      options.hard_negatives);
  }
  bool is_stalled() const {
    return options.patience > 0 && done.stopping.stalled >= options.patience;
  }
};

/// Makes the plan and the schedule of the run's pictures. note: told what a replay or repeats come
/// to.
void plan_epochs(Run& run, const Note& note);

/// Orders the pictures as --order asks for. Not before anchors are chosen: their sums depend on the
/// order.
void order_pictures(Run& run);

/// All other ranks get rank 0's; a build elsewhere may publish between their looks.
std::int64_t agreed_generation(const FitOptions& options,
                               const std::function<std::int64_t()>& chosen_by_first);

}  // namespace letterpress
