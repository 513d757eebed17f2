#pragma once
#include <vector>

#include "trainer/augment/batch_augmentation.h"
#include "trainer/fit/opening/run.h"
#include "trainer/fit/options/multi_scale.h"

namespace letterpress {

/// What the network gets of a prepared batch: augmented on the device, at the side of the step.
class StepInput {
 public:
  /// side: of the network's pictures; device: of the batches. run: outlives it.
  StepInput(const Run& run, int side, torch::Device device);
  /// When the run has taken up another snapshot.
  void count_classes();

  /// For the step that comes next; first: place of the batch's first row in that step's global
  /// batch. Nothing waits for the device.
  Batch operator()(const Batch& prepared, std::int64_t first) const;
  int side() const;  ///< pixels, of the step that comes next
  int largest_side() const { return sides_ ? sides_->high : side_; }
  bool has_many_sides() const { return sides_.has_value(); }

 private:
  const Run& run_;
  std::vector<const BatchAugmentation*> operations_;
  std::optional<SideRange> sides_;
  int side_;
  torch::Device device_;
  double fill_;  ///< grey beside the pictures, 0..1
  BoxRule boxes_left_;
  torch::Tensor rarity_;  ///< as BatchPosition has it
};

}  // namespace letterpress
