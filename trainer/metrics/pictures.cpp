#include "trainer/metrics/pictures.h"

#include <algorithm>

namespace letterpress {

PictureTable picture_table(const std::vector<PictureResult>& pictures, double confidence) {
  PictureTable table;
  for (const PictureResult& picture : pictures) {
    const bool flagged = std::any_of(picture.found.begin(), picture.found.end(),
                                     [&](const Found& one) { return one.score >= confidence; });
    if (picture.ground_truths.empty() && picture.unseen == 0) {
      ++(flagged ? table.falsely_flagged : table.clean);
    } else {
      ++(flagged ? table.found : table.missed);
    }
  }
  return table;
}

}  // namespace letterpress
