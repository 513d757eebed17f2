#pragma once
#include "formats/annotations/shared/format.h"

namespace letterpress::annotations {

/// Whether an input is an XML with <annotation>, a folder of them, or a list of their ids.
Recognition recognise_voc(const Input& input, const AnnotationOptions& options);

}  // namespace letterpress::annotations
