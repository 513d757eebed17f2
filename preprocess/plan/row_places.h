#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "letterpress/shards/plan.h"
#include "preprocess/plan/previous.h"

namespace letterpress {

/// Shards by size: rows whose pixels, uncompressed, fit `shard_bytes`; at least one, at most 1024:
/// all but the pixels of a shard's rows is in memory until it is whole.
std::int64_t rows_per_shard(std::int64_t shard_bytes, int side);

/// Takes over the rows of the last snapshot whose picture, labels and split are as before: the
/// entries of plan.ledger get their places, plan.snapshot.shards its shards, each with the rows
/// that no entry uses any more as dead, wholly dead ones left out. A picture that needs fewer views
/// than it has keeps the first of them; views that are drawn anew are not kept. The plan's identity
/// is the last snapshot's but for its draws.
void keep_rows(const Previous& previous, Plan& plan);

/// What place_rows must know where rows are tiles.
struct TiledRows {
  const std::vector<std::vector<std::int32_t>>& tiles;  ///< by ledger entry: numbers, ascending
  /// Boxes of one row: entry, its picture, tile, view.
  std::function<std::int64_t(const LedgerEntry&, const PlannedPicture&, std::int32_t, std::int32_t)>
      boxes;
};

/// Gives every row that is still missing its shard and row: pictures in the ledger's order, per
/// split, in groups of `rows` pictures. A group is one clean shard and, with K missing views, K
/// augmented shards, in which a picture's views are adjacent (`rows` is rounded down to a multiple
/// of K for that). Of tiles the same, each in the place of a picture, but that a group ends where a
/// picture does, and has several clean shards if one picture has more tiles. More views than the
/// last time only add rows. stored: the stored pictures, in the ledger's order; those that lack a
/// row become the plan's. tiled: nullptr where pictures are rows as a whole.
void place_rows(std::deque<PlannedPicture> stored, std::int64_t rows, Plan& plan,
                const TiledRows* tiled = nullptr);

/// M of a row with `boxes` boxes: the next multiple of 8, at least 8.
int padded_boxes(std::int64_t boxes);

/// Leaves out the shards of which no row is alive and renumbers the ledger's: the new index of
/// each, -1 when it is left out.
std::vector<std::int32_t> drop_dead_shards(Snapshot& snapshot, std::vector<LedgerEntry>& ledger);

}  // namespace letterpress
