#pragma once
#include <filesystem>
#include <vector>

#include "letterpress/shards/ledger_entry.h"

namespace letterpress {

struct Snapshot;

/// HDF5, one dataset per column. Throws Error when it cannot be written or read, is cut or fails
/// its checksum.
void write_ledger(const std::filesystem::path& file, const std::vector<LedgerEntry>& entries);
std::vector<LedgerEntry> read_ledger(const std::filesystem::path& file);
/// Throws Error naming `file` when an entry has rows that the snapshot does not have: whoever looks
/// for a picture's rows takes them as places in its shards.
void check_rows(const std::vector<LedgerEntry>& entries, const Snapshot& snapshot,
                const std::filesystem::path& file);

}  // namespace letterpress
