#pragma once
#include <string>
#include <vector>

#include "formats/annotations/shared/format.h"
#include "inside_folder.h"

namespace letterpress::annotations {

/// What an --input turned out to be.
struct Recognised {
  const AnnotationFormat* format = nullptr;
  Input input{};        ///< as given, or the label file or folder of labels in the given folder
  std::string why{};    ///< "line 1 ends in a box x1,y1,x2,y2,class"
  std::string split{};  ///< that the name of the one label file in a folder says; empty: none
  /// Of a folder that holds a label file of one format for each split: these, and no format.
  std::vector<InsideFolder> parts{};
  std::vector<std::string> remarks{};     ///< on what else the folder holds
  std::vector<LeftOutFolder> left_out{};  ///< each told by a remark
  Rivals rivals = Rivals::none;
};

/// The one format that fits, or the one that options.format names. A folder that is of no format
/// itself may hold one label file or one folder of labels that is, or one for each split. Throws
/// Error where several fit, where a folder holds others (it lists them, to be named one by one), or
/// where nothing does (it says why each format does not).
Recognised recognise(const Input& input, const AnnotationOptions& options);

/// Throws Error (usage) that lists them, to be named one by one.
[[noreturn]] void several_inside(const Input& folder, const std::vector<InsideFolder>& found);

/// Throws Error (usage) that lists the known names, nearest first.
const AnnotationFormat& format_named(const std::string& name);

}  // namespace letterpress::annotations
