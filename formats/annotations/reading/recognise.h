#pragma once
#include <string>

#include "formats/annotations/shared/format.h"

namespace letterpress::annotations {

/// What an --input turned out to be.
struct Recognised {
  const AnnotationFormat* format = nullptr;
  Input input{};      ///< as given, or the label file or folder of labels in the given folder
  std::string why{};  ///< "line 1 ends in a box x1,y1,x2,y2,class"
};

/// The one format that fits, or the one that options.format names. A folder that is of no format
/// itself may hold one label file or one folder of labels that is. Throws Error where several fit,
/// where a folder holds several (it lists them, to be named one by one), or where nothing does (it
/// says why each format does not).
Recognised recognise(const Input& input, const AnnotationOptions& options);

/// Throws Error (usage) that lists the known names, nearest first.
const AnnotationFormat& format_named(const std::string& name);

}  // namespace letterpress::annotations
