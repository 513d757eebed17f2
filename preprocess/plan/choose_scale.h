#pragma once
#include <optional>
#include <string>

#include "preprocess/inputs/inputs.h"
#include "preprocess/plan/previous.h"

namespace letterpress {

/// Pixels that the short side of a small object has in the frame: three cells of the finest grid
/// of the models, whose stride is 8.
constexpr int kFinestStride = 8, kCellsOfSmallObject = 3;

struct ScaleChoice {
  double scale = 1;
  std::string reason{};  ///< "0.375: ..."
};
/// Of tiles. The small objects are the quarter of the train pictures' boxes with the shortest
/// sides; their median gets kCellsOfSmallObject cells. Rounded up to whole 1/16, so that some more
/// pictures give the same, 1/16 at least and 1 at most, since tiles are not enlarged.
ScaleChoice choose_scale(const Inputs& inputs);

/// Of tiles that the last build made, unless this one makes all of them anew.
std::optional<double> scale_of_store(const std::optional<Previous>& previous,
                                     const BuildOptions& options);

}  // namespace letterpress
