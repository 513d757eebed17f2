#pragma once
#include <cstdint>
#include <vector>

#include "letterpress/shards/plan.h"
#include "preprocess/inputs/inputs.h"
#include "preprocess/options/build_listener.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {

/// Which tiles of the pictures become rows.
struct TileChoice {
  std::vector<std::vector<std::int32_t>> tiles{};  ///< by candidate: numbers, ascending
  TileAccounting accounting{};
};

/// Tiles with a box become rows, all of them; of those without one, in split train, the share that
/// the rule says, by a hash of picture and tile, and of each picture one at least: so a picture's
/// tiles do not depend on what else there is. recipe: one with tiles.
TileChoice choose_tiles(const Inputs& inputs, const Recipe& recipe, int side);

/// Notes pictures that are smaller than a tile, and boxes that are whole in no tile, with the
/// overlap needed.
void note_tiles(const Inputs& inputs, const TileChoice& choice, const Recipe& recipe, int side,
                BuildListener& listener);

/// Takes out the tiles of a picture that turns out not to be decodable: the next build, which knows
/// that, lays none.
void reject_tiles(const BuildIdentity& identity, const LedgerEntry& entry,
                  const PlannedPicture& picture, TileAccounting& sums);

/// Boxes of a row. recipe: one with tiles.
std::int64_t count_boxes(const Recipe& recipe, const BuildIdentity& identity,
                         const LedgerEntry& entry, const std::vector<LabelBox>& boxes,
                         std::int32_t tile, std::int32_t view);

}  // namespace letterpress
