#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trainer/schedules/plateau.h"

namespace letterpress {

/// How many epochs are averaged beside the last and the best one, so that nothing rests on picking.
inline constexpr std::size_t kLastEpochs = 3;

/// What a run has done so far, beside its weights; travels as Checkpoint's state_json.
struct RunState {
  std::int64_t step = 0;         ///< optimiser steps done
  std::int64_t epochs_done = 0;  ///< epochs whose metrics are in results.csv
  double elapsed_s = 0;          ///< of all sessions of the run
  BestSoFar best{};              ///< of the monitored metric, by which best.safetensors is chosen
  double best_map = -1;          ///< mAP50-95 of that epoch; -1: no metrics
  double best_map50 = -1;
  std::int64_t best_epoch = 0;  ///< 0: none yet
  std::vector<std::map<std::string, double>>
      last_metrics{};    ///< of the last kLastEpochs epochs, as named_metrics(), the newest last
  BestSoFar stopping{};  ///< the same by --min-delta: its `stalled` is what --patience bears
  Plateau plateau{};     ///< of schedule plateau
  std::int64_t skipped_steps = 0;  ///< of `step`: gradients were not finite
  std::int64_t steps_without_target =
      0;  ///< of `step`, the last in a row: the pictures have boxes, none of them became a target
  double most_map50 = -1;      ///< of all epochs, not only the best by --monitor; -1: no metrics
  double first_loss = 0;       ///< per picture, of the first step, before it; 0: not known
  double most_epoch_loss = 0;  ///< per picture, mean over an epoch, the largest; 0: none
  double last_epoch_loss = 0;  ///< the same of the last epoch
  std::int64_t first_step =
      0;  ///< of those on the pictures that are read now: --snapshot follow took them up then
  std::int64_t first_epoch = 0;  ///< epochs done by then
  std::int64_t known = 0;        ///< snapshot whose pictures are replayed, no new ones; 0: none
  std::vector<std::uint32_t> background_losses{};  ///< --hard-negatives: of each picture without
                                                   ///< boxes, in thousandths, 1 at least; 0: not
                                                   ///< measured yet; empty: none is

  /// The epoch that is not done yet, as far as its metrics were flushed.
  struct Epoch {
    std::vector<double> terms{};  ///< sums
    double normaliser = 0;
    std::int64_t samples = 0;
    double train_s = 0, waited_s = 0;
  } epoch{};
};

/// When other pictures are measured from here on: metrics of both say nothing of the model, so the
/// next epoch is the best, and nothing stalled before it.
inline void forget_metrics(RunState& state) {
  state.best = state.stopping = state.plateau.best = {};
  state.last_metrics.clear();
  state.most_map50 = -1;
}

/// Whether no epoch found anything in the val split.
inline bool found_nothing(const RunState& state) { return state.most_map50 == 0; }
/// Whether the training threw the model far off: nothing was found, and the loss of an epoch was
/// more than a hundred times that of the first step, before the model was trained. It may have
/// fallen since, with the learning rate. What a first batch is of makes less of a difference, where
/// its pictures have boxes. Without metrics of boxes it is the last epoch's loss that counts.
inline bool has_collapsed(const RunState& state) {
  const double loss = state.most_map50 < 0 ? state.last_epoch_loss : state.most_epoch_loss;
  return state.most_map50 <= 0 && state.first_loss > 0 && loss > 100 * state.first_loss;
}

/// Whether a run diverged, however it ended: it collapsed, more than half of its steps were
/// skipped, or the last ones had no target: more than half of all, or an epoch's worth, ten at
/// least.
bool has_diverged(const RunState& state);

std::string to_json(const RunState& state);
/// Throws Error saying which field is wrong.
RunState run_state_from_json(const std::string& text);

}  // namespace letterpress
