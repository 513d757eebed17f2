// A network's tensor by its name.
#pragma once
#include <doctest/doctest.h>

#include "trainer/network/network.h"

namespace letterpress {

inline torch::Tensor tensor_of(const Network& network, const std::string& name) {
  for (const auto& tensors : {network.parameters(), network.named_statistics()}) {
    for (const NamedTensor& tensor : tensors) {
      if (tensor.name == name) return tensor.value;
    }
  }
  FAIL("no tensor " << name);
  return {};
}

}  // namespace letterpress
