#pragma once
#include <array>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// Which rows of a split count.
enum class RowKind { clean, augmented, all };

/// Widths and heights of the boxes of a split's living rows, pixels of the frame, as stored: cut and scaled by the augmentations where
/// those rows are taken. In an order that does not depend on which build stored the rows. Throws Error when there is no such split.
std::vector<std::array<float, 2>> box_sizes(const SnapshotReader& reader, const std::string& split, RowKind rows);

}  // namespace letterpress
