#include "letterpress/base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/base/fault.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

// Runs a system call unless a test makes it fail; retries EINTR. Answers the call's result, or -1
// with errno set.
template <class Call>
auto attempt(const char* operation, const fs::path& path, Call call) -> decltype(call()) {
  if (const int fault = injected_fault(operation, path.native())) {
    errno = fault;
    return -1;
  }
  decltype(call()) result;
  do result = call();
  while (result < 0 && errno == EINTR);
  return result;
}

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw system_error(path.string(), what, errno);
}

int open_or_fail(const fs::path& path, int flags, const char* what) {
  const int descriptor =
      attempt("open", path, [&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0644); });
  if (descriptor < 0 && errno == ENOENT && !(flags & O_CREAT)) {
    throw Error(path.string() + ": no such file; check the path", Exit::no_input);
  }
  if (descriptor < 0 && !(flags & O_CREAT) && errno == EACCES) {
    throw Error(path.string() + ": cannot be read: permission denied; give this user access to it",
                Exit::io);
  }
  if (descriptor < 0) fail(path, what);
  return descriptor;
}

// `name` is what the message names.
void write_to(const File& file, std::int64_t offset, std::span<const std::byte> bytes,
              const fs::path& name) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = attempt("write", file.path(), [&] {
      return ::pwrite(file.descriptor(), bytes.data() + done, bytes.size() - done,
                      offset + static_cast<std::int64_t>(done));
    });
    if (n < 0) fail(name, "cannot be written");
    done += static_cast<std::size_t>(n);
  }
}

void sync_as(const File& file, const fs::path& name) {
  if (attempt("sync", file.path(), [&] { return ::fsync(file.descriptor()); }) < 0)
    fail(name, "cannot be made durable (fsync)");
}

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

}  // namespace

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
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}
File& File::operator=(File&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
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
    if (n < 0) fail(path_, "cannot be read");
    if (n == 0) {
      throw Error(path_.string() + ": cut short: wanted " + std::to_string(bytes.size()) +
                  " bytes at " + std::to_string(offset) + ", got " + std::to_string(done) +
                  "; restore or rebuild this file");
    }
    done += static_cast<std::size_t>(n);
  }
}

void File::write_at(std::int64_t offset, std::span<const std::byte> bytes) const {
  write_to(*this, offset, bytes, path_);
}

std::int64_t File::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) < 0) fail(path_, "cannot be examined");
  return status.st_size;
}

bool File::is_regular() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) < 0) fail(path_, "cannot be examined");
  return S_ISREG(status.st_mode);
}

void File::sync() const { sync_as(*this, path_); }

TemporaryFile::TemporaryFile(const fs::path& folder)
    : path_(folder / unique_name()), file_(File::create(path_)) {}
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

void TemporaryFile::write_at(std::int64_t offset, std::span<const std::byte> bytes,
                             const fs::path& name) const {
  write_to(file_, offset, bytes, name);
}

bool TemporaryFile::publish(const fs::path& name) {
  sync_as(file_, name);
  if (attempt("chmod", path_, [&] { return ::fchmod(file_.descriptor(), 0444); }) < 0)
    fail(name, "its mode cannot be set");
  const bool linked =
      attempt("link", name, [&] { return ::link(path_.c_str(), name.c_str()); }) == 0;
  if (!linked && errno != EEXIST) fail(name, "cannot be published (link)");
  sync_folder(name.parent_path());
  return linked;
}

void TemporaryFile::replace(const fs::path& name) {
  sync_as(file_, name);
  if (attempt("rename", name, [&] { return ::rename(path_.c_str(), name.c_str()); }) < 0)
    fail(name, "cannot be replaced (rename)");
  path_.clear();
  sync_folder(name.parent_path());
}

void remove_temporary_files(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> left;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code ignored;
    if (is_unique_name(entry->path().filename().string()) && entry->is_regular_file(ignored))
      left.push_back(entry->path());
  }
  if (error) throw system_error(folder.string(), "folder cannot be read", error.value());
  for (const fs::path& file : left) remove_file(file);
}

void read_file(const fs::path& path, std::vector<std::byte>& bytes) {
  const File file = File::open_to_read(path);
  if (!file.is_regular())
    throw Error(path.string() + ": is no regular file (a folder, FIFO or device); name a file",
                Exit::no_input);
  bytes.resize(static_cast<std::size_t>(file.size()));
  file.read_at(0, bytes);
}

std::string read_file(const fs::path& path) {
  const File file = File::open_to_read(path);
  if (!file.is_regular())
    throw Error(path.string() + ": is no regular file (a folder, FIFO or device); name a file",
                Exit::no_input);
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

bool publish_file(const fs::path& name, std::string_view content,
                  const fs::path& temporary_folder) {
  TemporaryFile temporary(temporary_folder);
  temporary.write_at(0, std::as_bytes(std::span(content)), name);
  return temporary.publish(name);
}

void replace_file(const fs::path& name, std::string_view content) {
  TemporaryFile temporary(name.has_parent_path() ? name.parent_path() : fs::path("."));
  temporary.write_at(0, std::as_bytes(std::span(content)), name);
  temporary.replace(name);
}

void append_line(const fs::path& path, std::string_view line) {
  const int descriptor =
      open_or_fail(path, O_WRONLY | O_APPEND | O_CREAT, "cannot be opened to append");
  const std::string text = std::string(line) + "\n";
  const ssize_t n =
      attempt("write", path, [&] { return ::write(descriptor, text.data(), text.size()); });
  const bool synced = n == static_cast<ssize_t>(text.size()) &&
                      attempt("sync", path, [&] { return ::fsync(descriptor); }) == 0;
  const int error_number = n >= 0 && n < static_cast<ssize_t>(text.size()) ? ENOSPC : errno;
  ::close(descriptor);
  if (!synced) throw system_error(path.string(), "cannot be appended to", error_number);
}

void make_folders(const fs::path& path) {
  std::error_code ignored;
  if (path.empty() || fs::is_directory(path, ignored)) return;
  make_folders(path.parent_path());
  const bool made = attempt("mkdir", path, [&] { return ::mkdir(path.c_str(), 0755); }) == 0;
  const int error_number = made ? 0 : errno;
  if (!made && !fs::is_directory(path, ignored)) {
    const Error error = system_error(path.string(), "folder cannot be created", error_number);
    throw error_number == EEXIST || error_number == ENOTDIR
        ? Error(error.what(), Exit::cannot_create)
        : error;
  }
  sync_folder(path.has_parent_path() ? path.parent_path() : fs::path("."));
}

fs::path make_unique_folder(const fs::path& parent, const std::string& start) {
  std::string name = (parent / (start + "XXXXXX")).string();
  if (attempt("mkdir", name, [&] { return ::mkdtemp(name.data()) ? 0 : -1; }) < 0)
    fail(parent, "no folder can be made in it");
  return name;
}

void rename_folder(const fs::path& from, const fs::path& to) {
  if (attempt("rename", to, [&] { return ::rename(from.c_str(), to.c_str()); }) < 0)
    fail(to, "cannot be given its name (rename)");
  sync_folder(to.parent_path());
}

void set_time_to_now(const fs::path& path) {
  if (attempt("utime", path, [&] { return ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }) < 0)
    fail(path, "its time cannot be set");
}

void remove_file(const fs::path& path) {
  if (attempt("unlink", path, [&] { return ::unlink(path.c_str()); }) < 0 && errno != ENOENT)
    fail(path, "cannot be removed");
}

void remove_folder(const fs::path& path) {
  std::error_code error;
  std::vector<fs::path> inside;
  for (fs::directory_iterator entry(path, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    inside.push_back(entry->path());
  }
  if (error == std::errc::no_such_file_or_directory) return;
  if (error) throw system_error(path.string(), "folder cannot be read", error.value());
  for (const fs::path& name : inside) {
    if (fs::is_directory(fs::symlink_status(name, error))) {
      remove_folder(name);
    } else {
      remove_file(name);
    }
  }
  if (attempt("rmdir", path, [&] { return ::rmdir(path.c_str()); }) < 0 && errno != ENOENT)
    fail(path, "folder cannot be removed");
}

void discard_folder(const fs::path& path) noexcept {
  try {
    remove_folder(path);
  } catch (const std::exception&) {
    // The failure that led here is the one to be told.
  }
}

void sync_folder(const fs::path& path) {
  const fs::path folder = path.empty() ? fs::path(".") : path;
  const int descriptor = open_or_fail(folder, O_RDONLY | O_DIRECTORY, "folder cannot be opened");
  const bool synced = attempt("sync", folder, [&] { return ::fsync(descriptor); }) == 0;
  const int error_number = errno;
  ::close(descriptor);
  if (!synced)
    throw system_error(folder.string(), "folder cannot be made durable (fsync)", error_number);
}

void sync_file_system(const fs::path& path) {
  const int descriptor = open_or_fail(path, O_RDONLY, "cannot be opened");
  const bool synced = attempt("sync", path, [&] { return ::syncfs(descriptor); }) == 0;
  const int error_number = errno;
  ::close(descriptor);
  if (!synced)
    throw system_error(path.string(), "its file system cannot be made durable (syncfs)",
                       error_number);
}

std::int64_t free_bytes(const fs::path& folder) {
  struct statvfs status {};
  if (attempt("statvfs", folder, [&] { return ::statvfs(folder.c_str(), &status); }) < 0)
    fail(folder, "free space cannot be asked for");
  return static_cast<std::int64_t>(status.f_bavail) * static_cast<std::int64_t>(status.f_frsize);
}

FileLock::FileLock(const fs::path& path) {
  ::close(open_or_fail(path, O_RDWR | O_CREAT, "lock cannot be created"));
  file_ = File::open_to_write(path);
  if (attempt("lock", path, [&] { return ::flock(file_.descriptor(), LOCK_EX | LOCK_NB); }) == 0)
    return;
  if (errno != EWOULDBLOCK) fail(path, "cannot be locked");
  throw Error(path.string() + ": held by another running process; wait for it to end and try again",
              Exit::busy);
}

}  // namespace letterpress
