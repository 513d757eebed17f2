#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace letterpress::annotations {

/// Names of classes, one per line, ids from 0; blanks around them are left out. Throws Error: when
/// the file is not there or cannot be read; data on an empty line between names (it would move the
/// ids), on what check_class_names() refuses, on no name at all, and where the file is something
/// else (a YAML, a label map, a table), whose lines would be taken for names.
std::vector<std::string> read_class_list(const std::filesystem::path& file);

/// Throws Error (data) when a name is empty, not printable UTF-8, or there twice. source: the file
/// that they are from.
void check_class_names(const std::vector<std::string>& names, const std::string& source);

}  // namespace letterpress::annotations
