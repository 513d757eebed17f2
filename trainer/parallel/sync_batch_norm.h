#pragma once
#include <torch/torch.h>

#include "trainer/parallel/rank_group.h"

namespace letterpress {

/// Tensors and constants of one batch norm.
struct SyncedNorm {
  torch::Tensor weight, bias;  ///< float [C], parameters
  torch::Tensor mean, var;     ///< float [C], running statistics: moved
  double momentum = 0.1, epsilon = 1e-5;
};

/// Batch norm in training over the pictures of all ranks, as one process would compute it over the
/// whole batch: for small batches per rank. Two sums over the ranks forward, two backward, by
/// RankGroup::all_reduce. PyTorch's rules: biased variance to normalise, unbiased one into the
/// running statistics. x: [B, C] or [B, C, h, w], any B >= 1 per rank; computed in float32 at
/// least, answered in x's type.
torch::Tensor sync_batch_norm(RankGroup& group, const torch::Tensor& x, const SyncedNorm& norm);

}  // namespace letterpress
