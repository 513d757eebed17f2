#pragma once
#include <string>

#include "letterpress/shards/store.h"

namespace letterpress {

/// Pictures of a split, evenly spaced over all there are: the clean row and, where there is one, an
/// augmented one, each a PNG within the page with its boxes and class names above it as SVG. n:
/// pictures. Throws Error naming the row when its pixels do not match their checksum.
std::string sample_figures(const SnapshotReader& reader, const std::string& split, std::size_t n);

}  // namespace letterpress
