#pragma once
#include "column_fields.h"
#include "letterpress/shards/ledger.h"

namespace letterpress {

// The columns of a ledger, in its own file and in a plan's. Sink: ColumnWriter or ColumnHasher.
template <class Sink>
void write_ledger_columns(Sink& sink, const std::vector<LedgerEntry>& entries);
std::vector<LedgerEntry> read_ledger_columns(hdf5::ColumnReader& reader);

}  // namespace letterpress
