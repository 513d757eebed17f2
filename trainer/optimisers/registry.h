#pragma once
#include <torch/types.h>

#include <string>
#include <vector>

#include "trainer/optimisers/optimiser_options.h"

namespace letterpress {

/// One state tensor that every parameter has.
struct Slot {
  const char* name;
  bool scalar;  ///< float32 scalar; else float32 of the parameter's shape
};

/// What a kernel updates in one call: parameters with a gradient and the same weight decay, and
/// their state, slot by slot.
struct UpdateGroup {
  std::vector<torch::Tensor> parameters, gradients;
  std::vector<std::vector<torch::Tensor>> slots;  ///< [slot][parameter]
  double weight_decay = 0;
};

/// An optimiser in the table: one file that ends in its entry, one line in registry.cpp, one test
/// file.
struct OptimiserEntry {
  const char* name;
  const char* help;
  std::vector<Slot> (*slots)(const OptimiserOptions& options);
  /// lr, broken: float32 scalars on the device; broken is 1 when nothing may change.
  void (*update)(const OptimiserOptions& options, const UpdateGroup& group, const torch::Tensor& lr,
                 const torch::Tensor& broken);
};

/// Throws Error listing the known ones, nearest first.
const OptimiserEntry& find_optimiser(const std::string& name);

}  // namespace letterpress
