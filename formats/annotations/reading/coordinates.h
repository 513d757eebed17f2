#pragma once
#include <string>

#include "letterpress/annotations/annotations.h"

namespace letterpress::annotations {

/// Applies options.coordinates to what a format has read as pixels. Throws Error (usage) when they
/// are automatic and nearly all boxes with an area lie within 0..1: taken for pixels, each would be
/// a dot in a corner. Where fewer do, a remark counts them. `input`: the label file, for the
/// message.
void settle_coordinates(const AnnotationOptions& options, const std::string& input,
                        AnnotationSet& set);

}  // namespace letterpress::annotations
