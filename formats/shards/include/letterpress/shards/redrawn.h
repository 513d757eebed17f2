#pragma once
#include "letterpress/shards/store.h"

namespace letterpress {

/// Whether `after` holds the pictures, labels, splits and clean rows of `before`, and other views
/// of them: what `refresh` publishes. Both are of `store`, whose ledgers are read where the
/// snapshots alone do not tell. Throws Error as Store::ledger().
bool is_redrawn(const Store& store, const Snapshot& before, const Snapshot& after);

}  // namespace letterpress
