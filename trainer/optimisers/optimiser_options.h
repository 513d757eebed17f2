#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "letterpress/base/entry_info.h"
#include "letterpress/base/limits.h"

namespace letterpress {

struct OptimiserOptions {
  std::string name = "sgd";  ///< registry name: "sgd", "adam", "adamw"
  double momentum = 0.9;     ///< sgd: 0..1, of the velocity; 0 keeps none
  bool nesterov = true;      ///< sgd: look ahead by the velocity (needs momentum > 0)
  double beta1 = 0.9;        ///< adam, adamw: decay of the first moment
  double beta2 = 0.999;      ///< adam, adamw: decay of the second moment
  double epsilon = 1e-8;     ///< adam, adamw: added to the root of the second moment
  double weight_decay =
      5e-4;  ///< of tensors with two dimensions or more; biases and norms have none. sgd, adam:
             ///< added to the gradient (L2); adamw: decoupled, arXiv:1711.05101
  double clip_norm =
      10;  ///< largest L2 norm of all gradients together, after scaling; 0: no clipping
};
inline constexpr Limits kMomentumLimits = kUnderOne, kWeightDecayLimits = kUnderOne,
                        kClipLimits{"0 (no clipping) or more, finite",
                                    [](double x) { return x >= 0 && std::isfinite(x); }};
/// Throws Error (exit usage) that names the field, its value and the limits; an unknown name lists
/// the known ones, nearest first.
void validate(const OptimiserOptions& options);

std::vector<EntryInfo> optimiser_infos();

}  // namespace letterpress
