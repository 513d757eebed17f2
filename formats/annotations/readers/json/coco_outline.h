#pragma once
#include <simdjson.h>

#include <vector>

#include "coco_document.h"
#include "formats/annotations/shared/outline.h"

namespace letterpress::annotations {

/// An annotation's `segmentation`.
struct CocoOutline {
  enum class Kind { none, mask, rings };
  Kind kind = Kind::none;       ///< rings: x1, y1, x2, y2, ... each, of three corners or more
  std::vector<Point> points{};  ///< of all rings
};

/// outline <- a value of `segmentation`; of no kind where a ring is broken. Throws simdjson_error
/// when the document is broken.
void read_coco_outline(simdjson::ondemand::value value, CocoOutline& outline);

/// The annotation gets what `outline` says: with has_box its outline, where that is of the box, by
/// `slack` of rounding; else the box around it, or the fault why there is none.
void apply_coco_outline(const CocoOutline& outline, bool has_box, double slack,
                        CocoAnnotation& annotation);

}  // namespace letterpress::annotations
