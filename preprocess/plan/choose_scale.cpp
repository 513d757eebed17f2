#include "preprocess/plan/choose_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace letterpress {

ScaleChoice choose_scale(const Inputs& inputs) {
  std::vector<float> sides;
  for (const Candidate& candidate : inputs.candidates) {
    if (!candidate.stored() || candidate.split != "train") continue;
    for (const LabelBox& box : candidate.boxes)
      sides.push_back(std::min(box.x2 - box.x1, box.y2 - box.y1));
  }
  if (sides.empty()) return {1, "1: no train picture has a box"};
  // The median of the smallest quarter.
  const auto small = sides.begin() + static_cast<std::ptrdiff_t>(sides.size() / 8);
  std::ranges::nth_element(sides, small);
  constexpr double kSteps = 16;
  const double side = static_cast<double>(*small), wanted = kFinestStride * kCellsOfSmallObject;
  const double scale = std::clamp(std::ceil(kSteps * wanted / side) / kSteps, 1 / kSteps, 1.0);
  const std::string large = side < wanted ? "fewer than the" : "at least";
  return {scale,
          fmt::format("{:g}: the small ones of {} boxes, the quarter with the shortest "
                      "sides, have {:.0f} pixels (their median); a tile shows them with "
                      "{:.0f}, {} {} that are {} cells of a model's finest grid",
                      scale, sides.size(), side, side * scale, large, wanted, kCellsOfSmallObject)};
}

std::optional<double> scale_of_store(const std::optional<Previous>& previous,
                                     const BuildOptions& options) {
  if (!previous || options.rebuild) return std::nullopt;
  const auto rule = tile_rule_of_recipe(previous->snapshot.identity.recipe_json);
  return rule ? std::optional(rule->scale) : std::nullopt;
}

}  // namespace letterpress
