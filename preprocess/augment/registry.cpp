#include "preprocess/augment/registry.h"

#include <array>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"

namespace letterpress {

std::span<const AugmentationEntry* const> augmentations() noexcept {
  static constexpr std::array kEntries{&kAffine, &kBlur, &kCrop,   &kCutout, &kGrey,
                                       &kHflip,  &kHsv,  &kJpeg,   &kNoise,  &kPlaceJitter,
                                       &kShift,  &kTone, &kTurn90, &kVflip};  // alphabetical
  return kEntries;
}

std::vector<Parameter> parameters_of(const AugmentationEntry& entry) {
  Parameters parameters(std::string(entry.name), {});
  entry.make(parameters);
  return parameters.declared();
}

std::unique_ptr<Augmentation> make_augmentation(const std::string& name, Parameters& parameters) {
  std::vector<std::string> known;
  for (const AugmentationEntry* entry : augmentations()) {
    if (entry->name == name) {
      auto augmentation = entry->make(parameters);
      parameters.check_all_known();
      return augmentation;
    }
    known.emplace_back(entry->name);
  }
  throw Error({.where = parameters.where(), .what = unknown_name("augmentation", name, known)},
              Exit::data);
}

}  // namespace letterpress
