#include "preprocess/map/band_order.h"

#include <algorithm>
#include <tuple>

namespace letterpress {

std::vector<BandStep> in_order_of_bands(Job rows,
                                        const std::function<LineRange(const RowTask&)>& lines_of) {
  std::vector<BandStep> steps;
  steps.reserve(rows.size());
  for (const RowTask& row : rows) steps.push_back({row, lines_of(row)});
  std::ranges::stable_sort(
      steps, {}, [](const BandStep& step) { return std::tuple(step.lines.end, step.lines.first); });
  for (std::size_t i = steps.size(); i > 0; --i) {
    BandStep& step = steps[i - 1];
    step.keep_from =
        i == steps.size() ? step.lines.first : std::min(step.lines.first, steps[i].keep_from);
  }
  return steps;
}

std::int32_t largest_band(const std::vector<BandStep>& steps) {
  std::int32_t most = 0;
  for (const BandStep& step : steps) most = std::max(most, step.lines.end - step.keep_from);
  return most;
}

}  // namespace letterpress
