#include "letterpress/base/own_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <span>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

// Of the name itself, nothing where there is none.
std::optional<mode_t> mode_of(const fs::path& path) {
  struct ::stat status {};
  if (::lstat(path.c_str(), &status) == 0) return status.st_mode;
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw reading_error(path.string(), "cannot be examined", errno);
}

}  // namespace

void check_no_link(const fs::path& path, const std::string& fix) {
  const std::optional<mode_t> mode = mode_of(path);
  if (!mode || !S_ISLNK(*mode)) return;
  throw Error({.where = path.string(),
               .what = "is a symbolic link, which may lead out of the store",
               .fix = fix},
              Exit::configuration);
}

void check_own_file(const fs::path& path, const std::string& fix) {
  const std::optional<mode_t> mode = mode_of(path);
  if (!mode || S_ISREG(*mode)) return;
  throw Error({.where = path.string(),
               .what = S_ISLNK(*mode) ? "is a symbolic link, must be a file itself"
                                      : "is not a regular file (a folder, FIFO or device)",
               .fix = S_ISLNK(*mode) ? "put a copy of what it names in its place" : fix});
}

std::string read_own_file(const fs::path& path, std::int64_t most_bytes, const std::string& fix) {
  check_own_file(path, fix);
  const File file = File::open_to_read(path);
  const std::int64_t bytes = file.size();
  if (bytes > most_bytes)
    throw Error({.where = path.string(),
                 .what = "has " + std::to_string(bytes) + " bytes, must have at most " +
                         std::to_string(most_bytes),
                 .fix = fix});
  std::string text(static_cast<std::size_t>(bytes), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace letterpress
