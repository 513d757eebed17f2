#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "letterpress/models/graph.h"

namespace letterpress {

/// Where a run's checkpoints may need more than `free` bytes on disk: how much, and what is free.
/// They are last.safetensors (weights, their averages and an optimiser's two moments) and
/// best.safetensors, each beside its successor while that is written.
std::optional<std::string> scarce_space(const Graph& graph, std::int64_t free);

}  // namespace letterpress
