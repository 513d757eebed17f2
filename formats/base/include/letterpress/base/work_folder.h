#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "letterpress/base/file.h"

namespace letterpress {

/// A folder for one process's unfinished files, where no lock keeps other processes out:
/// <parent>/<start>XXXXXX, locked while its owner lives and removed at the end. What a killed owner
/// left is removed by the same user's next that is made in the same parent with the same start.
/// On a file system without locks it stays.
class WorkFolder {
 public:
  /// Throws Error (io) when it cannot be made.
  WorkFolder(const std::filesystem::path& parent, const std::string& start);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
  std::optional<FileLock> lock_;
};

}  // namespace letterpress
