#pragma once
#include <simdjson.h>

#include <string>

#include "coco_document.h"
#include "coco_outline.h"

namespace letterpress::annotations {

/// One entry of `images`, as below of the other two lists. A value of the wrong type, or one that
/// is missing, is the entry's `fault` and does not end the reading; broken JSON throws
/// simdjson::simdjson_error. Ids that are texts become numbers of `ids`.
CocoImage read_coco_image(simdjson::ondemand::object object, CocoIds& ids);

/// outline: scratch. slack: as in read_coco_document().
CocoAnnotation read_coco_annotation(simdjson::ondemand::object object, CocoIds& ids,
                                    CocoOutline& outline, double slack);

/// fault: of the first category that has one.
CocoCategory read_coco_category(simdjson::ondemand::object object, CocoIds& ids,
                                std::string& fault);

}  // namespace letterpress::annotations
