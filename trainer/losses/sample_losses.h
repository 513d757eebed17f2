#pragma once
#include <torch/torch.h>

#include <vector>

#include "trainer/losses/loss.h"

namespace letterpress {

/// What each picture adds to the loss of its batch: the terms of the batch of that picture alone,
/// float [B, terms], detached, on the device. The rows sum up to LossValue::terms, as every loss is
/// a sum over pictures. Nothing in it waits for the device.
///   outputs, batch  as Loss takes them; what of the batch the loss does not ask for may be
///   undefined
torch::Tensor sample_losses(const Loss& loss, const std::vector<torch::Tensor>& outputs,
                            const Batch& batch);

}  // namespace letterpress
