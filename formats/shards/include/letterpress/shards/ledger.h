#pragma once
#include <filesystem>
#include <vector>

#include "letterpress/shards/ledger_entry.h"

namespace letterpress {

/// HDF5, one dataset per column. Throws Error when it cannot be written or read, is cut or fails
/// its checksum.
void write_ledger(const std::filesystem::path& file, const std::vector<LedgerEntry>& entries);
std::vector<LedgerEntry> read_ledger(const std::filesystem::path& file);

}  // namespace letterpress
