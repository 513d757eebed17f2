#pragma once
#include <vector>

#include "preprocess/likeness/look.h"
#include "preprocess/lint/picture_hash.h"
#include "preprocess/lint/searches.h"

namespace letterpress {

/// A stored picture and what its clean row shows.
struct SeenPicture {
  const LedgerEntry* entry = nullptr;
  PictureHash hash{};
  Look look{};
};

/// All stored pictures in the ledger's order, in parallel. Unfinished on source.stop. Throws Error
/// when a row is damaged.
std::vector<SeenPicture> look_at_all(const LintSource& source);

}  // namespace letterpress
