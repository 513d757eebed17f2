#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trainer/losses/loss.h"

namespace letterpress {

/// A loss in the table: one file that ends in its entry, one line in registry.cpp, one test file.
struct LossEntry {
  const char* name;
  const char* help;
  std::unique_ptr<Loss> (*make)(const Graph& graph, const LossOptions& options);
};

/// Throws Error (bug) that names the loss unless output i is [B, channels[i], h, w].
void check_outputs(const std::string& loss, const std::vector<torch::Tensor>& outputs,
                   const std::vector<std::int64_t>& channels);

}  // namespace letterpress
