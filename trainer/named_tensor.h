#pragma once
#include <torch/types.h>

#include <string>

namespace letterpress {

/// A network's tensor with the name that it has in checkpoints: "<layer>.weight",
/// "<layer>.norm.bias", ...
struct NamedTensor {
  std::string name;
  torch::Tensor value;
};

}  // namespace letterpress
