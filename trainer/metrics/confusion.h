#pragma once
#include <cstdint>
#include <vector>

#include "trainer/metrics/picture_result.h"

namespace letterpress {

/// Which class was found as which. The last row and column are the background: a row's last entry
/// counts ground truths that were not found, a column's last entry detections of nothing.
struct ConfusionMatrix {
  int classes = 0;
  std::vector<std::int64_t> counts{};  ///< [classes + 1, classes + 1], row: class of the ground
                                       ///< truth, column: class of the detection
  std::int64_t at(int ground_truth, int found) const {
    return counts[static_cast<std::size_t>(ground_truth * (classes + 1) + found)];
  }
};
/// At IoU .5, for detections with at least `confidence`. Each class is matched by itself first, as
/// COCO does, so the diagonal holds Tally::right, a row sums up to Tally::ground_truths and a
/// column to right + wrong. Then the remaining detections are matched with the remaining ground
/// truths of any class, best score first, by largest IoU. Crowds and detections inside them do not
/// count. Throws std::logic_error as judge() does.
ConfusionMatrix confusion_matrix(const std::vector<PictureResult>& pictures, int classes,
                                 double confidence);

}  // namespace letterpress
