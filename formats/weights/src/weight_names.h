#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "letterpress/weights/weight_file.h"

namespace letterpress {

/// The name without a leading "module.", which PyTorch's DataParallel puts there.
std::string_view without_wrapper(std::string_view name);
/// The name without its wrapper; its layer and role as PyTorch names them: weight, bias,
/// running_mean, running_var. A weight of one dimension is a norm's gamma, and the bias beside it
/// its beta: for that, pair_norms() must be called with all arrays.
WeightArray named_as_pytorch(std::string_view name, std::vector<std::int64_t> shape);
/// Makes a bias beside a gamma a beta.
void pair_norms(std::vector<WeightArray>& arrays);

/// Orders names as people count: "conv2d" < "conv2d_2" < "conv2d_10".
bool natural_less(std::string_view a, std::string_view b);

}  // namespace letterpress
