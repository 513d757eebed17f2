// The C library's functions about open files, under their own names: LD_PRELOAD puts these in front
// of it.
#include <dirent.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>

#include "calls.h"

using namespace letterpress::faults;

namespace {

std::size_t part(std::size_t n, bool half) { return half ? n / 2 : n; }

std::int64_t end_of_writes(int descriptor) {
  struct stat status {};
  if ((NEXT(fcntl)(descriptor, F_GETFL) & O_APPEND) && NEXT(fstat)(descriptor, &status) == 0)
    return status.st_size;
  return lseek(descriptor, 0, SEEK_CUR);
}

template <class Make>
ssize_t watch_write(int descriptor, const void* bytes, std::size_t n, off_t offset, Make make) {
  return watch_file({.operation = "write",
                     .changes = true,
                     .path = {},
                     .descriptor = descriptor,
                     .size = static_cast<std::int64_t>(n),
                     .offset = offset,
                     .bytes = static_cast<const char*>(bytes)},
                    [&](bool half) { return make(part(n, half)); });
}

template <class Make>
ssize_t watch_read(int descriptor, std::size_t n, Make make) {
  return watch_file({.operation = "read",
                     .path = {},
                     .descriptor = descriptor,
                     .size = static_cast<std::int64_t>(n)},
                    [&](bool half) { return make(part(n, half)); });
}

// fsync, ftruncate and the like.
template <class Make>
int watch_descriptor(const char* operation, bool changes, int descriptor, std::int64_t size,
                     Make make) {
  return watch_file({.operation = operation,
                     .changes = changes,
                     .path = {},
                     .descriptor = descriptor,
                     .size = size},
                    [&](bool) { return make(); });
}

}  // namespace

extern "C" {

ssize_t read(int file, void* bytes, size_t n) {
  return watch_read(file, n, [&](size_t some) { return NEXT(read)(file, bytes, some); });
}
ssize_t __read_chk(int file, void* bytes, size_t n, size_t) { return read(file, bytes, n); }
ssize_t pread(int file, void* bytes, size_t n, off_t at) {
  return watch_read(file, n, [&](size_t some) { return NEXT(pread)(file, bytes, some, at); });
}
ssize_t pread64(int file, void* bytes, size_t n, off_t at) ALIAS(pread);
ssize_t __pread_chk(int file, void* bytes, size_t n, off_t at, size_t) {
  return pread(file, bytes, n, at);
}
ssize_t __pread64_chk(int file, void* bytes, size_t n, off_t at, size_t) ALIAS(__pread_chk);
ssize_t write(int file, const void* bytes, size_t n) {
  return watch_write(file, bytes, n, is_active() ? end_of_writes(file) : 0,
                     [&](size_t some) { return NEXT(write)(file, bytes, some); });
}
ssize_t pwrite(int file, const void* bytes, size_t n, off_t at) {
  return watch_write(file, bytes, n, at,
                     [&](size_t some) { return NEXT(pwrite)(file, bytes, some, at); });
}
ssize_t pwrite64(int file, const void* bytes, size_t n, off_t at) ALIAS(pwrite);

int fsync(int file) {
  return watch_descriptor("sync", true, file, -1, [&] { return NEXT(fsync)(file); });
}
int fdatasync(int file) {
  return watch_descriptor("sync", true, file, -1, [&] { return NEXT(fdatasync)(file); });
}
int syncfs(int file) noexcept {
  return watch_descriptor("syncfs", true, file, -1, [&] { return NEXT(syncfs)(file); });
}
int ftruncate(int file, off_t size) noexcept {
  return watch_descriptor("resize", true, file, size, [&] { return NEXT(ftruncate)(file, size); });
}
int ftruncate64(int file, off_t size) noexcept ALIAS(ftruncate);
int fallocate(int file, int mode, off_t at, off_t n) {
  return watch_descriptor("allocate", true, file, at + n,
                          [&] { return NEXT(fallocate)(file, mode, at, n); });
}
int fallocate64(int file, int mode, off_t at, off_t n) ALIAS(fallocate);
int fchmod(int file, mode_t mode) noexcept {
  return watch_descriptor("chmod", true, file, -1, [&] { return NEXT(fchmod)(file, mode); });
}
int flock(int file, int how) noexcept {
  return watch_descriptor("lock", false, file, -1, [&] { return NEXT(flock)(file, how); });
}
int fstat(int file, struct stat* status) noexcept {
  return watch_descriptor("fstat", false, file, -1, [&] { return NEXT(fstat)(file, status); });
}
int fstat64(int file, struct stat64* status) noexcept {
  return fstat(file, reinterpret_cast<struct stat*>(status));
}
struct dirent* readdir(DIR* folder) {
  static const bool tells_types = !std::getenv("LETTERPRESS_FAULTS_NO_TYPES");
  struct dirent* const entry =
      watch_file({.operation = "readdir", .path = {}, .descriptor = dirfd(folder)},
                 [&](bool) { return NEXT(readdir)(folder); });
  if (entry && !tells_types) entry->d_type = DT_UNKNOWN;
  return entry;
}
struct dirent64* readdir64(DIR* folder) {
  return reinterpret_cast<struct dirent64*>(readdir(folder));
}

}  // extern "C"
