#pragma once
#include <cstddef>
#include <vector>

#include "trainer/fit/evaluation/evaluate.h"

namespace letterpress {

struct RunReportOptions {
  std::vector<PictureRows> pictures{};  ///< of one split of the run's reader, to examine the model
                                        ///< on; none: a page without metrics
  std::size_t shown = 12;               ///< this many of the best and of the worst
  EvaluateOptions evaluate{};           ///< where the network computes, and which detections count
};

}  // namespace letterpress
