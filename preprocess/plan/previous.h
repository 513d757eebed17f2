#pragma once
#include <future>
#include <string>
#include <vector>

#include "letterpress/shards/ledger.h"
#include "letterpress/shards/snapshot.h"

namespace letterpress {

/// What the store holds before this build.
struct Previous {
  Snapshot snapshot;
  std::vector<LedgerEntry> ledger;
  /// As the snapshot has them, where options rename some of snapshot.classes.
  std::vector<std::string> old_classes{};
  /// find_damaged_shards() of the snapshot; not valid: nobody looks for damage.
  std::shared_future<std::vector<bool>> damaged{};

  /// By position in snapshot.shards: its rows cannot be kept. Waits for `damaged`; all shards are
  /// whole where nobody looks.
  std::vector<bool> damaged_shards() const {
    return damaged.valid() ? damaged.get() : std::vector<bool>(snapshot.shards.size(), false);
  }
};

}  // namespace letterpress
