#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "letterpress/base/limits.h"
#include "trainer/optimisers/optimiser.h"

namespace letterpress {

struct EmaOptions {
  double decay =
      0.9999;  ///< 0..1, share of the old average per update; closer to 1 averages over more steps
  double ramp = 10;  ///< >= 1: update n (from 1) uses min(decay, (1 + n) / (ramp + n)), so that a
                     ///< short run forgets its random start
};
inline constexpr Limits kEmaLimits = kUnderOne;  ///< of the decay
/// Throws Error (exit usage) naming the field.
void validate(const EmaOptions& options);

/// The decay of update n, from 1, as in tf.train.ExponentialMovingAverage (num_updates).
double decay_at(const EmaOptions& options, std::int64_t n);

/// Exponential moving average (EMA) of parameters and of the flat tensor of running statistics:
/// average <- d * average + (1 - d) * live. Starts as a copy of the live tensors. To resume: load
/// the averaged weights into the network, construct with `updates` = the number of updates done,
/// then load the raw ones.
class WeightEma {
 public:
  /// live: float32 tensors that the optimiser updates in place and whose storage stays the same;
  /// names unique.
  WeightEma(std::vector<NamedTensor> live, const EmaOptions& options, std::int64_t updates = 0);

  /// After each optimiser step. Does not wait for the device.
  void update();

  /// Exchanges live and averaged values in place, so that the network (and every view into it)
  /// computes with the average; a second call restores them. While swapped, update() throws Error
  /// (exit bug).
  void swap();
  bool swapped() const noexcept { return swapped_; }

  std::int64_t updates() const noexcept { return updates_; }
  /// The averages while not swapped, in the order of `live`.
  const std::vector<NamedTensor>& averages() const noexcept { return averages_; }

 private:
  std::vector<NamedTensor> live_, averages_;
  EmaOptions options_;
  std::int64_t updates_;
  bool swapped_ = false;
};

/// Swaps while it lives: for validation and the plain names of a checkpoint.
class UseEma {
 public:
  explicit UseEma(WeightEma& ema) : ema_(ema) { ema_.swap(); }
  ~UseEma() { ema_.swap(); }
  UseEma(const UseEma&) = delete;
  UseEma& operator=(const UseEma&) = delete;

 private:
  WeightEma& ema_;
};

}  // namespace letterpress
