#include "letterpress/base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "system_call.h"

namespace letterpress {
namespace fs = std::filesystem;

int open_or_fail(const fs::path& path, int flags, const char* what) {
  const int descriptor =
      attempt("open", path, [&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); });
  if (descriptor < 0 && errno == ENOENT && !(flags & O_CREAT)) {
    throw Error({.where = path.string(), .what = "no such file", .fix = "check the path"},
                Exit::no_input);
  }
  if (descriptor < 0 && !(flags & O_CREAT) && errno == EACCES) {
    throw Error({.where = path.string(),
                 .what = "cannot be read: permission denied",
                 .fix = "give this user access to it"},
                Exit::io);
  }
  if (descriptor < 0) fail(path, what);
  return descriptor;
}

void write_to(const OpenFile& file, std::int64_t offset, std::span<const std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = attempt("write", file.path, [&] {
      return ::pwrite(file.descriptor, bytes.data() + done, bytes.size() - done,
                      offset + static_cast<std::int64_t>(done));
    });
    if (n < 0) fail(file.name, "cannot be written");
    done += static_cast<std::size_t>(n);
  }
}

void sync(const OpenFile& file) {
  if (attempt("sync", file.path, [&] { return ::fsync(file.descriptor); }) < 0)
    fail(file.name, "cannot be made durable (fsync)");
}

File File::open_to_read(const fs::path& path) {
  return {open_or_fail(path, O_RDONLY | O_NONBLOCK, "cannot be opened"), path};
}
File File::open_to_write(const fs::path& path) {
  return {open_or_fail(path, O_RDWR, "cannot be opened to write"), path};
}

File File::create(const fs::path& path) {
  return {open_or_fail(path, O_RDWR | O_CREAT | O_EXCL, "cannot be created"), path};
}

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      name_(std::move(other.name_)) {}
File& File::operator=(File&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  std::swap(name_, other.name_);
  return *this;
}
File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void File::read_at(std::int64_t offset, std::span<std::byte> bytes) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = attempt("read", path_, [&] {
      return ::pread(descriptor_, bytes.data() + done, bytes.size() - done,
                     offset + static_cast<std::int64_t>(done));
    });
    if (n < 0) fail(name_, "cannot be read");
    if (n == 0) {
      throw Error({.where = name_.string(),
                   .what = "cut short: got " + std::to_string(done) + " of " +
                           std::to_string(bytes.size()) + " bytes at " + std::to_string(offset),
                   .fix = "restore or rebuild this file"});
    }
    done += static_cast<std::size_t>(n);
  }
}

void File::write_at(std::int64_t offset, std::span<const std::byte> bytes) const {
  write_to({descriptor_, path_, name_}, offset, bytes);
}

struct ::stat File::status() const {
  struct ::stat status {};
  if (::fstat(descriptor_, &status) < 0) fail(name_, "cannot be examined");
  return status;
}

std::int64_t File::size() const { return status().st_size; }

bool File::is_regular() const { return S_ISREG(status().st_mode); }

std::int64_t File::regular_size(const std::string& fix) const {
  const struct ::stat now = status();
  if (S_ISREG(now.st_mode)) return now.st_size;
  throw Error({.where = name_.string(),
               .what = "is not a regular file (a folder, FIFO or device)",
               .fix = fix},
              Exit::no_input);
}

void File::sync() const { letterpress::sync({descriptor_, path_, name_}); }

void read_file(const fs::path& path, std::vector<std::byte>& bytes) {
  const File file = File::open_to_read(path);
  bytes.resize(static_cast<std::size_t>(file.regular_size()));
  file.read_at(0, bytes);
}

std::string read_file(const fs::path& path) {
  const File file = File::open_to_read(path);
  std::string text(static_cast<std::size_t>(file.regular_size()), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

Hash128 hash_file(const fs::path& path) {
  constexpr std::int64_t kPiece = 1 << 20;
  const File file = File::open_to_read(path);
  Hasher hasher;
  std::vector<std::byte> bytes;
  for (std::int64_t at = 0, size = file.regular_size(); at < size; at += kPiece) {
    bytes.resize(static_cast<std::size_t>(std::min(kPiece, size - at)));
    file.read_at(at, bytes);
    hasher.add(bytes);
  }
  return hasher.digest128();
}

void append_line(const fs::path& path, std::string_view line) {
  std::error_code ignored;
  const bool is_new = !fs::exists(path, ignored);
  const int descriptor =
      open_or_fail(path, O_WRONLY | O_APPEND | O_CREAT, "cannot be opened to append");
  const std::string text = std::string(line) + "\n";
  std::string_view rest = text;
  ssize_t n = 0;
  while (!rest.empty() && n >= 0) {  // in one piece, unless the system takes a part only
    n = attempt("write", path, [&] { return ::write(descriptor, rest.data(), rest.size()); });
    if (n > 0) rest.remove_prefix(static_cast<std::size_t>(n));
  }
  const bool synced = n >= 0 && attempt("sync", path, [&] { return ::fsync(descriptor); }) == 0;
  const int error_number = errno;
  ::close(descriptor);
  if (!synced) throw system_error(path.string(), "cannot be appended to", error_number);
  if (is_new) sync_folder(path.parent_path());
}

void set_time_to_now(const fs::path& path) {
  if (attempt("utime", path, [&] { return ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }) < 0)
    fail(path, "its time cannot be set");
}

void remove_file(const fs::path& path) {
  if (attempt("unlink", path, [&] { return ::unlink(path.c_str()); }) < 0 && errno != ENOENT)
    fail(path, "cannot be removed");
}

FileLock::FileLock(const fs::path& path) {
  ::close(open_or_fail(path, O_RDWR | O_CREAT, "lock cannot be created"));
  file_ = File::open_to_write(path);
  if (attempt("lock", path, [&] { return ::flock(file_.descriptor(), LOCK_EX | LOCK_NB); }) == 0)
    return;
  if (errno == ENOSYS || errno == EOPNOTSUPP || errno == ENOLCK)
    throw Error({.where = path.string(),
                 .what = "its file system has no locks (flock: " +
                         std::generic_category().message(errno) + ")",
                 .fix = "mount it with locks (Lustre: -o flock; NFS: with a lock manager), or put "
                        "the store on another one"},
                Exit::cannot_create);
  if (errno != EWOULDBLOCK) fail(path, "cannot be locked");
  throw Error({.where = path.string(),
               .what = "another process holds this lock",
               .fix = "wait for it to end and try again"},
              Exit::busy);
}

}  // namespace letterpress
