#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/base/box_rule.h"
#include "letterpress/base/entry_info.h"
#include "trainer/batch.h"

namespace letterpress {

/// A batch's position in its run. The random numbers of a row depend only on this, the operation
/// and the row, so that any world size and a resumed run draw the same.
struct BatchPosition {
  std::uint64_t seed = 1;      ///< of the run
  std::int64_t step = 0;       ///< from 0
  std::int64_t first = 0;      ///< index of the batch's first row in the step's global batch
  std::int64_t augmented = 0;  ///< this many rows, the first ones, may change; the others belong to
                               ///< epochs without augmentation
  double fill = 114.0 / 255.0;          ///< grey where there is no picture, 0..1
  BoxRule boxes_left = kDetectBoxRule;  ///< which boxes stay that a mixture or a move cuts
  torch::Tensor rarity{};  ///< int64 [classes], 1 to 2^20, on the batch's device: how likely
                           ///< objects of a class are taken elsewhere; undefined: all alike
};

/// Boxes of a row that mixes pictures, at most, unless a row of the store may have more: a loss
/// takes time for each slot, used or not.
inline constexpr std::int64_t kMostMixedBoxes = 128;

/// `rarity` of classes of which there are so many objects each: the fewer the likelier, in inverse
/// proportion. On the CPU.
torch::Tensor rarity_of(const std::vector<std::int64_t>& objects);

/// An operation on prepared batches, on their device. One file that ends in its entry, one line in
/// registry.cpp, one test file.
///
/// Images stay [B, 3, side, side] of their type, 0..1, channels_last. Boxes follow the pixels and
/// stay padded: [B, N, 5], unused rows 0 0 0 0 -1 without flags. N may grow where pictures are
/// mixed; the smallest of more than kMostMixedBoxes, or than the batch had before, are dropped.
/// Nothing waits for the device.
struct BatchAugmentation {
  const char* name;
  const char* help;
  bool mixes;  ///< rows get parts of other rows of the same batch: for boxes, not for classes of
               ///< whole pictures
  Batch (*apply)(const Batch& batch, const BatchPosition& position);
};

/// "flip,hsv": in that order; none for "none". Throws Error (usage) for a name twice or an unknown
/// one, listing the known ones, nearest first.
std::vector<const BatchAugmentation*> batch_augmentations(const std::string& names);
std::vector<EntryInfo> batch_augmentation_infos();

/// Applies all of them in order. The result shares what does not change with `batch`; all of it
/// where position.augmented is 0. On a CPU, slots for boxes that no row needs are left out again.
Batch augment(const std::vector<const BatchAugmentation*>& operations, const Batch& batch,
              const BatchPosition& position);

}  // namespace letterpress
