#pragma once
#include <vector>

#include "letterpress/base/hash.h"
#include "letterpress/shards/ledger.h"
#include "letterpress/shards/snapshot.h"

namespace letterpress {

/// What a snapshot holds, however it came about: the sum (modulo 2^128) over all rows of XXH3-128
/// of the row's identity: picture bytes, labels with class names, side, recipe, seed, draw, split
/// and view, and of the tile where rows are tiles. Shards, order, names of files and class ids are
/// not in it, so an incremental build and a clean one of the same inputs have the same digest.
Hash128 logical_digest(const BuildIdentity& identity, const std::vector<LedgerEntry>& ledger);

}  // namespace letterpress
