#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "preprocess/inputs/inputs.h"
#include "preprocess/options/build_listener.h"
#include "preprocess/plan/previous.h"
#include "preprocess/plan/tile_choice.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {

/// A network learns by heart what it sees often: of 130 photographs, four views in 40 epochs, the
/// loss rose from 5.9 to 7.2 when the clean pictures came at last; of sixteen views it did not.
constexpr int kEpochsPerView = 3, kFewestViews = 4;

/// What the rows of a store may take.
struct RowsBudget {
  std::int64_t train = 0;      ///< pictures or tiles that have augmented views
  std::int64_t clean = 0;      ///< rows of view 0, in all splits
  std::int64_t row_bytes = 1;  ///< pixels, boxes and their table
  std::int64_t bytes = 0;      ///< for all rows
  std::string source{};        ///< "--max-store-bytes": who says so
};

struct ViewsChoice {
  int views;
  std::string reason;  ///< "16 augmented views of each picture: ..."
};
/// A view for every kEpochsPerView epochs. Where that does not fit, the largest power of two that
/// does (so that a disk that is a little fuller gives the same number), never fewer than
/// kFewestViews.
ViewsChoice choose_views(int epochs_planned, const RowsBudget& budget);

/// Throws Error (configuration) when views of a recipe that augments nothing are asked for.
void check_views(const BuildOptions& options, const Recipe& recipe);
/// Augmented views per train picture: as asked; of `auto`, what the store has already under the
/// same flags, else by choose_views(), within --max-store-bytes and a quarter of the disk, which is
/// noted; none with a recipe that augments nothing.
/// tiles: nullptr where pictures are rows as a whole.
int views_of_build(const BuildOptions& options, const Recipe& recipe, const Inputs& inputs,
                   const std::optional<Previous>& previous, const TileChoice* tiles,
                   BuildListener& listener);

}  // namespace letterpress
