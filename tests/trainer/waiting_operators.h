#pragma once
#include <ATen/record_function.h>
#include <doctest/doctest.h>
#include <torch/torch.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <string>

namespace letterpress {

/// Operators that wait for the device or copy between it and the host, of those that `work` calls. Fails unless it sees any.
template <class Work>
std::set<std::string> waiting_operators(Work&& work) {
  static std::set<std::string> seen;
  static const std::set<std::string> known{"aten::item",     "aten::_local_scalar_dense", "aten::is_nonzero", "aten::nonzero",
                                           "aten::to_dense", "aten::masked_select",       "aten::equal",      "aten::unique_dim",
                                           "aten::_unique2", "aten::repeat_interleave",   "aten::one_hot",    "aten::index"};
  seen.clear();
  const auto see = [](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
    seen.insert(function.name());
    return nullptr;
  };
  const auto handle = at::addGlobalCallback(at::RecordFunctionCallback(see).scopes({at::RecordScope::FUNCTION}));
  (void)torch::ones({2}).nonzero();
  CHECK(seen.contains("aten::nonzero"));
  seen.clear();
  work();
  at::removeCallback(handle);
  CHECK(seen.size() > 2);
  std::set<std::string> found;
  std::set_intersection(seen.begin(), seen.end(), known.begin(), known.end(), std::inserter(found, found.begin()));
  return found;
}

}  // namespace letterpress
