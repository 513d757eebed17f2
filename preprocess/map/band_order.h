#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "preprocess/map/row_tasks.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {

/// A row and the lines of its picture that it is drawn from.
struct BandStep {
  RowTask task{};
  LineRange lines{};
  /// The first line that this step or a later one reads: what is above it may go.
  std::int32_t keep_from = 0;
};

/// The rows in the order in which one pass over the picture from top to bottom can draw them.
/// lines_of: of a row.
std::vector<BandStep> in_order_of_bands(Job rows,
                                        const std::function<LineRange(const RowTask&)>& lines_of);
/// Lines that are kept at once, at most.
std::int32_t largest_band(const std::vector<BandStep>& steps);

}  // namespace letterpress
