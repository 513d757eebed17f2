#pragma once
#include <memory>

#include "trainer/losses/loss.h"

namespace letterpress {

/// A loss in the table: one file that ends in its entry, one line in registry.cpp, one test file.
struct LossEntry {
  const char* name;
  const char* help;
  std::unique_ptr<Loss> (*make)(const Graph& graph, const LossOptions& options);
};

}  // namespace letterpress
