#pragma once
#include <array>

#include "trainer/augment/batch_augmentation.h"

namespace letterpress {

/// `n` numbers for each row of the batch, 0 to under 1: float32 [B, n] on its device. Drawn on the
/// host, copied without waiting.
torch::Tensor draw(const char* operation, const Batch& batch, const BatchPosition& position, int n);

/// Which rows an operation changes: each that may change, with this chance. bool [B].
///   numbers  float32 [B], 0 to under 1
torch::Tensor choose(const torch::Tensor& numbers, const BatchPosition& position, double chance);

/// For each of the B rows another row. int64 [B]. B > 1.
///   numbers  float32 [B], 0 to under 1
torch::Tensor choose_others(const torch::Tensor& numbers);
/// Three others for each of the B rows, all different: int64 [B] each. B > 3.
///   numbers  float32 [B, 3], 0 to under 1
std::array<torch::Tensor, 3> choose_three_others(const torch::Tensor& numbers);

}  // namespace letterpress
