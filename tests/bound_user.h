#pragma once
// Modes of files, and a user whom they bind: tests may run as the superuser.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace letterpress {

/// Mode of a file or folder while it lives.
class Mode {
 public:
  Mode(std::filesystem::path path, std::filesystem::perms mode)
      : path_(std::move(path)), before_(std::filesystem::status(path_).permissions()) {
    std::filesystem::permissions(path_, mode);
  }
  ~Mode() {
    std::error_code ignored;
    std::filesystem::permissions(path_, before_, ignored);
  }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;

 private:
  std::filesystem::path path_;
  std::filesystem::perms before_;
};

/// The superuser, whom no mode binds, is nobody while it lives, and may enter this folder.
class NoSuperuser {
 public:
  explicit NoSuperuser(const std::filesystem::path& folder) : was_(geteuid()) {
    if (was_ != 0) return;
    std::filesystem::permissions(folder, std::filesystem::perms(0777));
    changed_ = seteuid(65534) == 0;
  }
  ~NoSuperuser() {
    if (changed_ && seteuid(was_) != 0) std::abort();
  }
  NoSuperuser(const NoSuperuser&) = delete;
  NoSuperuser& operator=(const NoSuperuser&) = delete;
  bool is_bound() const { return was_ != 0 || changed_; }

 private:
  uid_t was_;
  bool changed_ = false;
};

}  // namespace letterpress
