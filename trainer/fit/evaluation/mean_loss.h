#pragma once
#include <optional>
#include <vector>

#include "trainer/fit/evaluation/evaluate.h"
#include "trainer/losses/loss.h"

namespace letterpress {

/// The loss of these rows as training has it, all terms over the normaliser, the network in eval
/// mode. Nothing: stopped. This process does all, without ranks.
std::optional<double> mean_loss(Network& network, const Loss& loss, const SnapshotReader& reader,
                                const std::vector<RowPlace>& rows, const EvaluateOptions& options);

}  // namespace letterpress
