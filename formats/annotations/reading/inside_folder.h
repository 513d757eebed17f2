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
  std::string split{};  ///< that its name says; empty: none
};

struct InsideSearch {
  const AnnotationOptions& options;
  /// The only one that counts; nullptr: all but class folders, which any folder of pictures may be.
  const AnnotationFormat* format = nullptr;
  /// Folders that hold pictures may be classes: of these only files count that are not of one
  /// picture.
  bool of_classes = false;
};

/// Those directly in the folder and in the folders there, sorted by name; a folder of labels stands
/// for the files in it; of a folder called after a split annotations/ in it may be one. Looks at
/// 200 files and 200 folders at most of each folder; a remark names each of which it does not look
/// at all.
std::vector<InsideFolder> labels_inside(const Input& folder, const InsideSearch& search,
                                        std::vector<std::string>* remarks = nullptr);

}  // namespace letterpress::annotations
