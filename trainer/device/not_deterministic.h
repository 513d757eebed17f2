#pragma once
#include <exception>
#include <optional>
#include <string>

namespace letterpress {

/// The operation that a device does only with kernels whose sums come in any order, if `failure`
/// says that this ended the work: "adaptive_avg_pool2d_backward_cuda". Nothing for any other
/// failure.
std::optional<std::string> not_deterministic(const std::exception& failure);

}  // namespace letterpress
