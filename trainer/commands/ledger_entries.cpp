#include "trainer/commands/ledger_entries.h"

namespace letterpress {

LedgerEntries::LedgerEntries(const std::vector<LedgerEntry>& ledger) {
  for (const LedgerEntry& entry : ledger)
    for (const RowRun& run : entry.rows)
      if (run.view == 0) entries_.emplace(std::pair(run.shard, run.row), &entry);
}

const LedgerEntry* LedgerEntries::find(const RowPlace& clean) const {
  const auto entry = entries_.find({clean.shard, clean.row});
  return entry == entries_.end() ? nullptr : entry->second;
}

}  // namespace letterpress
