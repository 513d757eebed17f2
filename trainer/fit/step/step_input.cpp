// What the network gets of a prepared batch: augmented on the device, at the side of the step.
#include <algorithm>

#include "trainer/augment/resize.h"
#include "trainer/fit/trainer_state.h"

namespace letterpress {

// first: place of the batch's first row in the step's global batch.
Batch Trainer::State::step_input(const Batch& prepared, std::int64_t first) const {
  // A batch may reach over the end of an epoch: its first rows are of the earlier one.
  const std::int64_t clean_from = (options_.epochs - clean_epochs_of(options_)) * plan_.samples;
  const std::int64_t augmented = clean_from - plan_.position(done_.step) - first;
  const BatchPosition position{
      .seed = options_.seed,
      .step = done_.step,
      .first = first,
      .augmented = std::clamp<std::int64_t>(augmented, 0, prepared.images.size(0)),
      .fill = fill_};
  return resized(augment(on_device_, prepared, position), side_of_next_step());
}

int Trainer::State::side_of_next_step() const {
  return sides_ ? side_of_step(*sides_, options_.scale_every, options_.seed, done_.step)
                : model_->network().graph().side;
}

}  // namespace letterpress
