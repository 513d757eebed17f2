#pragma once
#include <filesystem>
#include <string>

namespace letterpress {

/// What holds a path.
struct FileSystem {
  std::string name{};      ///< "ext4", or "an unknown file system"
  bool local = false;      ///< a disk of this machine, or its memory
  bool is_memory = false;  ///< this machine's memory: nothing is ever read from a disk
};
/// Throws nothing: what cannot be examined is unknown and counts as remote.
FileSystem file_system_of(const std::filesystem::path& path);

}  // namespace letterpress
