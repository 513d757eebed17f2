#pragma once
#include <simdjson.h>

#include "coco_document.h"

namespace letterpress::annotations {

/// The box around `segmentation`, for an annotation without a bbox: where that is a list of rings
/// x1, y1, x2, y2, ... of three corners or more; else its fault says why there is none. object: at
/// its first field. Throws simdjson_error when the document is broken.
void read_coco_outline(simdjson::ondemand::object& object, CocoAnnotation& annotation);

}  // namespace letterpress::annotations
