#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/annotations/annotations.h"
#include "text.h"

namespace letterpress::annotations {

/// One name per line, ids from 0. Throws Error on an empty line between names (it would move the
/// ids), a name twice or not printable, no name at all.
std::vector<std::string> read_class_names(const std::filesystem::path& path);

/// options.classes, for a format that has no names of its own. Throws Error (usage) when there is
/// none; a classes.txt beside the input is proposed, never taken.
std::vector<std::string> required_class_names(const std::filesystem::path& input,
                                              const AnnotationOptions& options);

/// What is wrong with a class's name: "is not UTF-8", "holds a control character".
LabelFault class_name_fault(std::string_view name);

/// Throws Error when a name is empty, is no printable UTF-8 or stands twice. `source`: the file
/// they are from.
void check_class_names(const std::vector<std::string>& names, const std::string& source);

/// A class id as a label file writes it, or why it is none ("class 7 is out of range: classes.txt
/// names 6 classes, 0..5").
struct ClassId {
  std::int32_t id = -1;
  LabelFault fault{};
};
ClassId parse_class(std::string_view text, const std::vector<std::string>& names,
                    const std::string& source);

}  // namespace letterpress::annotations
