#pragma once
#include "column_fields.h"
#include "letterpress/shards/ledger_entry.h"

namespace letterpress {

// Whether some picture has several tiles: only then there is a column for them.
bool has_tiles(const std::vector<LedgerEntry>& entries);

// The columns of a ledger, in its own file and in a plan's. Sink: ColumnWriter or ColumnHasher.
template <class Sink>
void write_ledger_columns(Sink& sink, const std::vector<LedgerEntry>& entries);
std::vector<LedgerEntry> read_ledger_columns(hdf5::ColumnReader& reader);

}  // namespace letterpress
