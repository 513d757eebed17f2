#pragma once
#include <filesystem>

#include "formats/annotations/shared/format.h"

namespace letterpress::annotations {

/// Whether an input is a YOLO set, and by what.
Recognition recognise_yolo(const Input& input, const AnnotationOptions& options);

/// Whether a folder holds label files alone: their pictures are elsewhere.
bool is_yolo_label_folder(const Input& input);
/// Its folder of label files: labels/ in it, or itself.
std::filesystem::path yolo_label_folder_in(const Input& input);

}  // namespace letterpress::annotations
