#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace letterpress {

/// What the file system tells of a file: when all of it is as before, the content is taken for
/// unchanged. Programs can set the time of the last write, not that of the last change.
struct FileStamp {
  std::int64_t size = 0, modified_ns = 0, changed_ns = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileStamp&) const = default;
};
/// None when the path is not a regular file.
std::optional<FileStamp> file_stamp(const std::string& path);

}  // namespace letterpress
