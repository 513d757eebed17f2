#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "letterpress/models/graph.h"

namespace letterpress {

/// The forward pass of a training step, or of a part of one.
struct ForwardPass {
  int side = 0;  ///< pixels
  std::int64_t pictures = 0;
  std::int64_t value_bytes = 4;    ///< of an output: 2 in bf16
  std::set<std::string> frozen{};  ///< layers
};

/// Bytes of the layers' outputs that it keeps for the gradients: nearly all that a step takes.
std::int64_t kept_outputs(const Graph& graph, const ForwardPass& pass);

/// A step's batch: of how many ranks, in how many parts (--accumulate).
struct BatchParts {
  std::int64_t batch = 0, ranks = 1, parts = 1;
};

/// Where `pass`, one part's pictures of this machine's ranks, keeps more than `free` bytes: how
/// much it takes, what is free, and the --accumulate that fits. A CPU's memory that runs out ends
/// the process without a word.
std::optional<std::string> scarce_memory(const Graph& graph, const ForwardPass& pass,
                                         const BatchParts& step, std::int64_t free);

}  // namespace letterpress
