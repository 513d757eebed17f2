#pragma once
#include <filesystem>
#include <string>

namespace letterpress::annotations {

/// Throws Error where what should be a list of class names, one a line, is something else, whose
/// lines would be taken for names: a YAML, a label map, a table, JSON or XML; names with numbers or
/// in quotes; comments.
void refuse_other_lists(const std::string& text, const std::filesystem::path& path);

}  // namespace letterpress::annotations
