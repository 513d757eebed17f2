#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/annotations/passed_over.h"

namespace letterpress::annotations {

/// Whether a file's name ends in `extension`, in capitals or small letters; empty: in that of a
/// picture.
bool matches(std::string_view name, std::string_view extension);

/// Whether one of a path's folders is hidden (".git/", ".thumb/"), or holds a NAS's thumbnails
/// ("@eaDir/") or snapshots ("#snapshot/"), or what was thrown away or found again ("#recycle/",
/// "$RECYCLE.BIN/", "lost+found/"). A folder ends in a slash.
bool is_in_hidden_folder(std::string_view path);

/// What is below a folder, by paths from it.
struct FilesBelow {
  std::vector<std::string> files{};  ///< that match an extension
  std::vector<std::string> left{};   ///< by a system, whatever its extension
  std::vector<std::string> links{};  ///< that were not followed, and why: as people see them
  void add(std::string path, std::string_view extension);
};

/// The files below a folder of the disk, sorted by bytes, as FileTree::files_below() has them.
FilesBelow disk_files_below(const std::filesystem::path& folder, std::string_view extension);

}  // namespace letterpress::annotations
