#pragma once
#include <filesystem>

#include "letterpress/base/file.h"

namespace letterpress {

/// A folder of one piece of work under the system's temporary folder, removed with all that it
/// holds.
class Workplace {
 public:
  Workplace()
      : folder_(std::filesystem::absolute(
            make_unique_folder(std::filesystem::temp_directory_path(), "letterpress-parity-"))) {}
  ~Workplace() { discard_folder(folder_); }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  std::filesystem::path operator/(const std::filesystem::path& name) const {
    return folder_ / name;
  }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace letterpress
