#include "letterpress/base/look.h"

#include <sys/stat.h>

#include <cerrno>

#include "letterpress/base/error.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

fs::file_type type_by(int (*look)(const char*, struct stat*), const fs::path& path) {
  struct stat status {};
  int found;
  do found = look(path.c_str(), &status);
  while (found < 0 && errno == EINTR);
  if (found < 0 && says_absent(errno)) return fs::file_type::not_found;
  if (found < 0) throw reading_error(path.string(), "cannot be examined", errno);
  return S_ISREG(status.st_mode)   ? fs::file_type::regular
         : S_ISDIR(status.st_mode) ? fs::file_type::directory
         : S_ISLNK(status.st_mode) ? fs::file_type::symlink
                                   : fs::file_type::unknown;
}

}  // namespace

bool says_absent(int error_number) {
  return error_number == ENOENT || error_number == ENOTDIR || error_number == EACCES ||
         error_number == ELOOP || error_number == ENAMETOOLONG;
}

fs::file_type type_at(const fs::path& path) { return type_by(::stat, path); }
fs::file_type type_of_link(const fs::path& path) { return type_by(::lstat, path); }

bool is_there(const fs::path& path) { return type_at(path) != fs::file_type::not_found; }
bool is_folder_at(const fs::path& path) { return type_at(path) == fs::file_type::directory; }
bool is_regular_at(const fs::path& path) { return type_at(path) == fs::file_type::regular; }

}  // namespace letterpress
