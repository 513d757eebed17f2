#include "trainer/fit/step/step_input.h"

#include <algorithm>

#include "trainer/augment/resize.h"
#include "trainer/fit/opening/model_for_store.h"

namespace letterpress {

namespace {

// Of all splits; it is about proportions.
torch::Tensor rarity_of_classes(const Snapshot& snapshot) {
  const auto& counted = snapshot.statistics.boxes_per_class;
  std::vector<std::int64_t> objects;
  for (const std::string& name : snapshot.classes)
    objects.push_back(counted.contains(name) ? counted.at(name) : 0);
  return rarity_of(objects);
}

}  // namespace

StepInput::StepInput(const Run& run, int side, torch::Device device)
    : run_(run),
      operations_(batch_augmentations(run.options.on_device)),
      sides_(side_range_of(run.options.multi_scale)),
      side_(side),
      device_(device),
      fill_(letterbox_rule_of(run.snapshot()).fill / 255.0),
      boxes_left_(box_rule_of(run.snapshot())) {
  count_classes();
}

void StepInput::count_classes() { rarity_ = rarity_of_classes(run_.snapshot()).to(device_); }

Batch StepInput::operator()(const Batch& prepared, std::int64_t first) const {
  const FitOptions& options = run_.options;
  // A batch may reach over the end of an epoch: its first rows are of the earlier one.
  const std::int64_t clean_from = (options.epochs - clean_epochs_of(options)) * run_.plan.samples;
  const std::int64_t augmented = clean_from - run_.plan.position(run_.done.step) - first;
  const BatchPosition position{
      .seed = options.seed,
      .step = run_.done.step,
      .first = first,
      .augmented = std::clamp<std::int64_t>(augmented, 0, prepared.images.size(0)),
      .fill = fill_,
      .boxes_left = boxes_left_,
      .rarity = rarity_};
  return resized(augment(operations_, prepared, position), side());
}

int StepInput::side() const {
  if (!sides_) return side_;
  return side_of_step(*sides_, run_.options.scale_every, run_.options.seed, run_.done.step);
}

}  // namespace letterpress
