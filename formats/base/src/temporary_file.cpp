#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <utility>

#include "letterpress/base/file.h"
#include "letterpress/base/folder.h"
#include "system_call.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

std::string unique_name() {
  static std::atomic<unsigned> count{0};
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::to_string(getpid()) + "-" + std::to_string(now.tv_sec) + "." +
         std::to_string(now.tv_nsec) + "-" + std::to_string(count++);
}

// "1234-1700000000.123456789-0", as unique_name() makes them.
bool is_unique_name(const std::string& name) {
  std::size_t at = 0;
  for (const char* separator = "-.-"; *separator != 0; ++separator) {
    const std::size_t end = name.find_first_not_of("0123456789", at);
    if (end == at || end == std::string::npos || name[end] != *separator) return false;
    at = end + 1;
  }
  return at < name.size() && name.find_first_not_of("0123456789", at) == std::string::npos;
}

// link(2) has EPERM for it, FUSE what its program returns.
bool lacks_links(int error) { return error == EPERM || error == EOPNOTSUPP || error == ENOSYS; }

// False: the name is taken. For file systems without hard links: FAT, exFAT, some of FUSE.
bool rename_to_free_name(const fs::path& from, const fs::path& name) {
  const auto rename = [&] {
    return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE);
  };
  if (attempt("rename", name, rename) == 0) return true;
  if (errno == EEXIST) return false;
  if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
    fail(name, "cannot be given its name (rename)");
  throw Error({.where = name.string(),
               .what = "its file system has neither hard links nor renaming without replacing, one "
                       "of which it takes to publish a file",
               .fix = "put the store on another one, for instance ext4, XFS or NFS"},
              Exit::cannot_create);
}

}  // namespace

Error renamed(const Error& error, const fs::path& from, const fs::path& to) {
  Message message = error.message();
  for (std::string* text : {&message.where, &message.what, &message.fix}) {
    for (std::size_t at = 0; (at = text->find(from.native(), at)) != std::string::npos;
         at += to.native().size())
      text->replace(at, from.native().size(), to.native());
  }
  return Error(message, error.exit());
}

TemporaryFile::TemporaryFile(const fs::path& folder)
    : path_(folder / unique_name()), file_(create_in(folder, path_)) {}
TemporaryFile::TemporaryFile(const fs::path& folder, const std::string& name)
    : path_(folder / name), file_(create_in(folder, path_)) {}
TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}
TemporaryFile& TemporaryFile::operator=(TemporaryFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  return *this;
}
TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) attempt("unlink", path_, [&] { return ::unlink(path_.c_str()); });
}

File TemporaryFile::create_in(const fs::path& folder, const fs::path& path) {
  const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
  const int descriptor = attempt("open", path, [&] { return ::open(path.c_str(), flags, 0666); });
  if (descriptor < 0) fail(folder, "no file can be created in it");
  return {descriptor, path, folder};
}

void TemporaryFile::write_at(std::int64_t offset, std::span<const std::byte> bytes,
                             const fs::path& name) const {
  write_to({file_.descriptor(), path_, name}, offset, bytes);
}

bool TemporaryFile::link_as(const fs::path& name) {
  sync({file_.descriptor(), path_, name});
  // As umask left it, but read-only.
  struct stat made {};
  if (attempt("chmod", path_, [&] {
        return ::fstat(file_.descriptor(), &made) == 0
                   ? ::fchmod(file_.descriptor(), made.st_mode & 0444U)
                   : -1;
      }) < 0)
    fail(name, "its mode cannot be set");
  bool named = attempt("link", name, [&] { return ::link(path_.c_str(), name.c_str()); }) == 0;
  if (!named && lacks_links(errno)) {
    named = rename_to_free_name(path_, name);
    if (named) path_.clear();
  } else if (!named && errno != EEXIST) {
    fail(name, "cannot be given its name (link)");
  }
  sync_folder(name.parent_path());
  return named;
}

void TemporaryFile::replace(const fs::path& name) {
  sync({file_.descriptor(), path_, name});
  if (attempt("rename", name, [&] { return ::rename(path_.c_str(), name.c_str()); }) < 0)
    fail(name, "cannot be replaced (rename)");
  path_.clear();
  sync_folder(name.parent_path());
}

void remove_temporary_files(const fs::path& folder) {
  std::error_code ignored;
  for (const std::string& name : names_in(folder)) {
    if (is_unique_name(name) && fs::is_regular_file(folder / name, ignored))
      remove_file(folder / name);
  }
}

bool write_new_file(const fs::path& name, std::string_view content,
                    const fs::path& temporary_folder) {
  TemporaryFile temporary(temporary_folder);
  temporary.write_at(0, std::as_bytes(std::span(content)), name);
  return temporary.link_as(name);
}

void replace_file(const fs::path& name, std::string_view content) {
  TemporaryFile temporary(folder_of(name));
  temporary.write_at(0, std::as_bytes(std::span(content)), name);
  temporary.replace(name);
}

}  // namespace letterpress
