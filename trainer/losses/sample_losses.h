#pragma once
#include <torch/types.h>

#include <vector>

#include "trainer/losses/loss.h"

namespace letterpress {

/// What each picture adds to the loss of its batch: the loss terms of that picture alone, float [B,
/// terms], detached, on the device. The rows add up to LossValue::terms, since every loss is a sum
/// over pictures. Nothing here waits for the device.
///   outputs, batch  as Loss takes them; parts of the batch that the loss does not use may be
///                   undefined
torch::Tensor sample_losses(const Loss& loss, const std::vector<torch::Tensor>& outputs,
                            const Batch& batch);

}  // namespace letterpress
