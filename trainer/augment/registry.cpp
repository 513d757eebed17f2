#include "letterpress/base/registry.h"

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>

#include "trainer/augment/batch_augmentation.h"
#include "trainer/augment/padded_boxes.h"

namespace letterpress {

extern const BatchAugmentation affine_batch, flip_batch, hsv_batch, mixup_batch, mosaic_batch,
    paste_batch;

static constexpr std::array entries{&affine_batch, &flip_batch,   &hsv_batch,
                                    &mixup_batch,  &mosaic_batch, &paste_batch};

std::vector<const BatchAugmentation*> batch_augmentations(const std::string& names) {
  std::vector<const BatchAugmentation*> operations;
  if (names == "none") return operations;
  std::istringstream list(names + ",");
  for (std::string name; std::getline(list, name, ',');) {
    const BatchAugmentation& entry = find_entry(entries, "--on-device operation", name);
    if (std::find(operations.begin(), operations.end(), &entry) != operations.end())
      throw Error({.where = "--on-device",
                   .what = name + " is named twice in '" + names + "'",
                   .fix = "name each once"},
                  Exit::usage);
    operations.push_back(&entry);
  }
  return operations;
}

std::vector<EntryInfo> batch_augmentation_infos() { return infos_of(entries); }

torch::Tensor rarity_of(const std::vector<std::int64_t>& objects) {
  constexpr std::int64_t kMost = 1 << 20;
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t n : objects)
    if (n > 0) fewest = std::min(fewest, n);
  torch::Tensor rarity = torch::ones({static_cast<std::int64_t>(objects.size())}, torch::kLong);
  for (std::size_t i = 0; i < objects.size(); ++i)
    if (objects[i] > 0)
      rarity[static_cast<std::int64_t>(i)] = std::max<std::int64_t>(1, kMost * fewest / objects[i]);
  return rarity;
}

Batch augment(const std::vector<const BatchAugmentation*>& operations, const Batch& batch,
              const BatchPosition& position) {
  if (operations.empty() || position.augmented <= 0) return batch;
  const torch::NoGradGuard no_gradient;
  Batch result = batch;
  for (const BatchAugmentation* operation : operations) result = operation->apply(result, position);
  return without_idle_slots(result, batch.boxes.size(1));
}

}  // namespace letterpress
