#pragma once
#include <filesystem>
#include <optional>

#include "letterpress/base/file.h"

namespace letterpress {

/// A folder of one piece of work under the system's temporary folder, removed with all that it
/// holds. A killed process's folder is removed by the next Workplace that is made a minute later or
/// more: nobody holds the lock in it.
class Workplace {
 public:
  Workplace();
  ~Workplace() { discard_folder(folder_); }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  std::filesystem::path operator/(const std::filesystem::path& name) const {
    return folder_ / name;
  }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::optional<FileLock> lock_;
};

}  // namespace letterpress
