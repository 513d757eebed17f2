#pragma once
#include <cstdint>
#include <vector>

#include "trainer/metrics/picture_result.h"

namespace letterpress {

/// Pictures as an inspection line sorts them: whether one has a defect (any ground truth, crowds
/// too, or an unseen object), and whether it was flagged (any detection that counts, anywhere).
struct PictureTable {
  std::int64_t found = 0;            ///< a defect, flagged
  std::int64_t missed = 0;           ///< a defect, not flagged
  std::int64_t falsely_flagged = 0;  ///< no defect, flagged
  std::int64_t clean = 0;            ///< no defect, not flagged
  std::int64_t pictures() const { return found + missed + falsely_flagged + clean; }
};
/// confidence: detections with at least this score count.
PictureTable picture_table(const std::vector<PictureResult>& pictures, double confidence);

}  // namespace letterpress
