#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/annotations/files/input.h"
#include "letterpress/annotations/class_list.h"

namespace letterpress::annotations {

/// As read_class_list(), of any tree of files.
std::vector<std::string> read_class_names(const FileTree& files, const std::filesystem::path& path);

/// options.classes, for a format that has no names of its own. Throws Error (usage) when there is
/// none; it then proposes a classes.txt beside the input, but never takes it.
std::vector<std::string> required_class_names(const Input& input, const AnnotationOptions& options);

/// Why a class cannot have this name: "is not UTF-8", "holds a control character".
std::optional<Message> class_name_fault(std::string_view name);

/// The index into `names` that a label file writes as text, or a Reject without `where`: "class 7
/// is out of range: classes.txt names 6 classes, 0..5". `source`: the file of the names.
Expected<std::int32_t> parse_class(std::string_view text, const std::vector<std::string>& names,
                                   const std::string& source);

/// Gives the boxes of set.items their ids in set.classes. names: of each item, box by box. A
/// picture with another name is rejected, with all its boxes.
void name_boxes(AnnotationSet& set, const std::vector<std::vector<std::string>>& names);

}  // namespace letterpress::annotations
