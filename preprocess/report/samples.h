#pragma once
#include <string>

#include "letterpress/shards/store.h"

namespace letterpress {

/// n pictures of a split, evenly spaced over all: the clean row and an augmented one, if there is
/// any. Each is an embedded PNG with its boxes and class names over it as SVG. Throws Error naming
/// the row if its pixels do not match their checksum.
std::string sample_pictures(const SnapshotReader& reader, const std::string& split, std::size_t n);

}  // namespace letterpress
