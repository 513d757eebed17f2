#pragma once
#include <cstdint>
#include <vector>

#include "trainer/metrics/picture_result.h"

namespace letterpress {

/// Which class was taken for which. The last row and column are the background: a row's last entry
/// counts ground truths that nothing found, a column's last one detections of nothing.
struct ConfusionMatrix {
  int classes = 0;
  std::vector<std::int64_t> counts{};  ///< [classes + 1, classes + 1], row: class of the ground
                                       ///< truth, column: class of the detection
  std::int64_t at(int ground_truth, int found) const {
    return counts[static_cast<std::size_t>(ground_truth * (classes + 1) + found)];
  }
};
/// At IoU .5, of the detections with at least `confidence`. Each class is matched by itself first,
/// as COCO does, so the diagonal holds Tally::right, a row sums up to Tally::ground truths and a
/// column to right + wrong. What is left then meets the ground truths that are left, of any class,
/// best score first, by largest IoU. Crowds and what lies in them count nowhere. Throws
/// std::logic_error as judge() does.
ConfusionMatrix confusion_matrix(const std::vector<PictureResult>& pictures, int classes,
                                 double confidence);

}  // namespace letterpress
