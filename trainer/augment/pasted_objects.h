#pragma once
#include "trainer/augment/batch_augmentation.h"

namespace letterpress {

/// Objects of the batch, and how likely each row gets each of them.
struct ObjectsToPaste {
  torch::Tensor boxes;  ///< float32 [C, 5], C = B * N
  torch::Tensor ends;   ///< int64 [B, C]: weights end to end; 0 for those of the row itself
  std::int64_t places;  ///< N
};

/// Whole ones, neither crowds nor difficult, of half the frame at most, that show no other object,
/// as likely as position.rarity says.
ObjectsToPaste objects_to_paste(const Batch& batch, const BatchPosition& position);

/// One object for each row, in whole pixels around its box. int64 [B] unless said.
struct CutObject {
  torch::Tensor box;  ///< float32 [B, 5]
  torch::Tensor row;  ///< of the batch, that it is cut from
  torch::Tensor left, top, width, height;
  torch::Tensor margin;  ///< pixels around it in which it fades
  torch::Tensor any;     ///< bool [B]: there is one
};

///   numbers  float32 [B], 0 to under 1
CutObject cut_object(const ObjectsToPaste& objects, const torch::Tensor& numbers);

}  // namespace letterpress
