#pragma once
#include <string>
#include <vector>

#include "formats/annotations/shared/format.h"

namespace letterpress::annotations {

/// A label file, or a folder of labels, in a folder that is of no format itself.
struct InsideFolder {
  Input input{};
  std::string name;  ///< from the folder: "annotations.json", "train/_annotations.coco.json"
  const AnnotationFormat* format = nullptr;
  std::string why;
};

/// Those directly in the folder and in the folders there, sorted by name; a folder of labels stands
/// for the files in it. format: the only one that counts; nullptr: all but class folders, which any
/// folder of pictures may be. Looks at 200 names at most.
std::vector<InsideFolder> labels_inside(const Input& folder, const AnnotationOptions& options,
                                        const AnnotationFormat* format);

}  // namespace letterpress::annotations
