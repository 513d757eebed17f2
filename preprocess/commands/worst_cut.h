#pragma once
#include "letterpress/shards/store.h"

namespace letterpress {

/// How much an augmented row lost of its most cut box: 0 (none is cut) to below 1, the share of the
/// box's area that lies outside the frame; 1 when a box of the clean row is gone. Boxes are
/// compared with what the clean row's become under the row's own affine map.
double worst_cut(const SnapshotReader& reader, const RowPlace& clean, const RowPlace& augmented);

}  // namespace letterpress
