#pragma once
#include <torch/types.h>

#include "trainer/norm_function.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {

/// Batch norm in training over the pictures of all ranks, as one process would compute it over the
/// whole batch; for small batches per rank. One all-reduce forward, one backward. PyTorch's rules:
/// biased variance to normalise, unbiased one into the running statistics. x: [B, C] or [B, C, h,
/// w], any B >= 1 per rank; computes in float32 at least and returns x's type.
torch::Tensor sync_batch_norm(RankGroup& group, const torch::Tensor& x, const NormTensors& norm);

}  // namespace letterpress
