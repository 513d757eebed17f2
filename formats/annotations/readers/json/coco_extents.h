#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "coco_document.h"

namespace letterpress::annotations {

/// Counts annotations whose `segmentation` has another extent than their `bbox`, by more than 2
/// pixels (a hundredth where coordinates are shares) and a twentieth of the side: a bbox of two
/// corners, x1, y1, x2, y2, which reads as x, y, width, height, or an outline of another object.
/// The bbox is kept, and a remark counts them.
class CocoExtents {
 public:
  explicit CocoExtents(bool are_shares) : are_shares_(are_shares) {}
  /// A difference that is the picture's border's is none: tools cut the bbox there, or the outline.
  /// place: index in `annotations`.
  void add(const CocoAnnotation& annotation, const CocoImage& image, std::size_t place);
  void add_to(std::vector<std::string>& remarks) const;

 private:
  bool are_shares_;
  std::int64_t differing_ = 0, corners_ = 0;  ///< corners: the bbox fits as two of them
  std::string first_{};
};

}  // namespace letterpress::annotations
