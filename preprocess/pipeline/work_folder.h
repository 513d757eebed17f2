#pragma once
#include <filesystem>
#include <optional>

#include "letterpress/base/file.h"

namespace letterpress {

/// A folder for one process's unfinished files, where no lock keeps other processes out:
/// <parent>/making-XXXXXX, locked while its owner lives and removed at the end. What a killed owner
/// left is removed by the next that is made in the same parent.
class WorkFolder {
 public:
  /// Throws Error (io) when it cannot be made.
  explicit WorkFolder(const std::filesystem::path& parent);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<FileLock> lock_;
};

}  // namespace letterpress
