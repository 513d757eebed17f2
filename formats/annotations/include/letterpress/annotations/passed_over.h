#pragma once
#include <string_view>

namespace letterpress::annotations {

/// Whether a path is of what a Mac ("._1.jpg", "__MACOSX/", ".DS_Store"), Windows ("Thumbs.db",
/// "desktop.ini") or a notebook (".ipynb_checkpoints/") leaves beside files, or is in a hidden
/// folder: some look like pictures and labels, and are none. A folder ends in a slash.
bool is_left_by_a_system(std::string_view path);

}  // namespace letterpress::annotations
