#pragma once
#include <filesystem>

namespace letterpress {

/// Whether the error of a system call says that there is nothing for this user to see: no such
/// name, no folder, no right to look there, links in a circle, a name too long. Any other one is of
/// a disk or a server that fails, and says nothing of what is there. (Where nothing depends on a
/// look but a hint, it may fail without a word.)
bool says_absent(int error_number);

/// The kind of file that a path names, links followed; not_found where there is nothing for this
/// user to see. Throws Error (io) naming the path where that cannot be told: what is looked for
/// must not be taken for missing then, as std::filesystem::exists() does.
std::filesystem::file_type type_at(const std::filesystem::path& path);
/// The same of a link itself: symlink.
std::filesystem::file_type type_of_link(const std::filesystem::path& path);
bool is_there(const std::filesystem::path& path);       ///< whatever it is
bool is_folder_at(const std::filesystem::path& path);   ///< a folder
bool is_regular_at(const std::filesystem::path& path);  ///< a regular file

}  // namespace letterpress
