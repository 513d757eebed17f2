#pragma once
#include <map>
#include <utility>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// A ledger's entries by the clean rows that they became. The ledger must outlive it.
class LedgerEntries {
 public:
  explicit LedgerEntries(const std::vector<LedgerEntry>& ledger);
  /// Null: the ledger does not know the row.
  const LedgerEntry* find(const RowPlace& clean) const;

 private:
  std::map<std::pair<std::int32_t, std::int64_t>, const LedgerEntry*> entries_;
};

}  // namespace letterpress
