#pragma once
#include <array>
#include <string>
#include <vector>

#include "letterpress/shards/anchors.h"

namespace letterpress {

/// box_sizes() of a whole split, by size. Throws Error when there is no such split.
std::vector<std::array<float, 2>> box_sizes(const SnapshotReader& reader, const std::string& split,
                                            RowKind rows);

}  // namespace letterpress
