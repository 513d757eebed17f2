#pragma once
#include <string>
#include <vector>

#include "class_folders.h"
#include "formats/annotations/files/input.h"

namespace letterpress::annotations {

/// What to say of files beside the pictures of class folders, or above them, that may hold boxes
/// which nobody reads: labels.csv, annotations.json. Empty: there are none. classes: the file of
/// --classes, which is read.
std::string remark_on_unread_labels(const Input& input, const std::vector<Placed>& pictures,
                                    const std::filesystem::path& classes);

}  // namespace letterpress::annotations
