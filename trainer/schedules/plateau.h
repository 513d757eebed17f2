#pragma once
#include <cstdint>
#include <optional>

namespace letterpress {

/// The best of a figure so far, and for how many looks it has not been beaten. Plain data, which a
/// checkpoint keeps.
struct BestSoFar {
  std::optional<double> value{};
  std::int64_t stalled = 0;  ///< looks since

  /// True when `figure` is better than the best by more than min_delta; the first one is, one that
  /// is not a number never is.
  bool improved_by(double metric, bool higher_is_better, double min_delta);
};

struct PlateauOptions {
  std::int64_t patience = 10;    ///< epochs without a better figure that are borne; the next one
                                 ///< drops the rate. More for noisy figures
  std::int64_t cooldown = 0;     ///< epochs after a drop that do not count
  double min_delta = 0;          ///< a figure must be better by more than this to count as better
  double drop_factor = 0.1;      ///< 0..1
  double least = 0.01;           ///< the reduction stays at or over this
  bool higher_is_better = true;  ///< false for a loss
};

/// Reduces a learning rate when a figure stalls, as PyTorch's ReduceLROnPlateau with threshold_mode
/// "abs" does. Plain data, which a checkpoint keeps: a resumed run goes on to the bit.
struct Plateau {
  double reduction = 1;  ///< what the schedule's rate is multiplied by
  BestSoFar best{};
  std::int64_t cooling = 0;  ///< epochs of cooldown that are left

  /// Told the figure of each epoch; true when it drops the rate.
  bool look(double metric, const PlateauOptions& options);
};

}  // namespace letterpress
