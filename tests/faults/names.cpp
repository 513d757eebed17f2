// The C library's functions about files by name, under their own names: LD_PRELOAD puts these in
// front of it.
#include <dirent.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "calls.h"

using namespace letterpress::faults;

namespace {

// A call about two names.
template <class Make>
int watch_paths(const char* operation, int from, const char* old_path, int to, const char* new_path,
                Make make) {
  if (!is_active()) return make();
  Call call{.operation = operation,
            .changes = true,
            .path = absolute(from, old_path),
            .other = absolute(to, new_path)};
  if (!is_watched(call.path) && !is_watched(call.other)) return make();
  return watch(std::move(call), [&](bool) { return make(); });
}

template <class Make>
int watch_open(int folder, const char* path, int flags, Make make) {
  if (!is_active()) return make();
  Call call{.operation = "open", .changes = false, .path = absolute(folder, path)};
  if (!is_watched(call.path)) return make();
  struct stat status {};
  const bool is_there = NEXT(fstatat)(AT_FDCWD, call.path.c_str(), &status, 0) == 0;
  const bool creates = (flags & O_CREAT) && !is_there;
  const bool empties = (flags & O_TRUNC) && is_there;
  if (creates || empties) call.operation = creates ? "create" : "truncate";
  if ((flags & O_TMPFILE) == O_TMPFILE) call.operation = "tmpfile";
  call.changes = creates || empties;
  return watch(std::move(call), [&](bool) { return make(); });
}

mode_t mode_of(int flags, va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return watch_open(AT_FDCWD, path, flags, [&] { return NEXT(open)(path, flags, mode); });
}
int open64(const char* path, int flags, ...) ALIAS(open);
int __open_2(const char* path, int flags) { return open(path, flags); }
int __open64_2(const char* path, int flags) { return open(path, flags); }
int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return watch_open(folder, path, flags, [&] { return NEXT(openat)(folder, path, flags, mode); });
}
int openat64(int folder, const char* path, int flags, ...) ALIAS(openat);
int creat(const char* path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
FILE* fopen(const char* path, const char* mode) {
  return watch_path("fopen", *mode != 'r', AT_FDCWD, path, [&] { return NEXT(fopen)(path, mode); });
}
FILE* fopen64(const char* path, const char* mode) ALIAS(fopen);
DIR* opendir(const char* path) {
  return watch_path("opendir", false, AT_FDCWD, path, [&] { return NEXT(opendir)(path); });
}

int link(const char* from, const char* to) noexcept {
  return watch_paths("link", AT_FDCWD, from, AT_FDCWD, to, [&] { return NEXT(link)(from, to); });
}
int linkat(int a, const char* from, int b, const char* to, int flags) noexcept {
  return watch_paths("link", a, from, b, to, [&] { return NEXT(linkat)(a, from, b, to, flags); });
}
int rename(const char* from, const char* to) noexcept {
  return watch_paths("rename", AT_FDCWD, from, AT_FDCWD, to,
                     [&] { return NEXT(rename)(from, to); });
}
int renameat(int a, const char* from, int b, const char* to) noexcept {
  return watch_paths("rename", a, from, b, to, [&] { return NEXT(renameat)(a, from, b, to); });
}
int renameat2(int a, const char* from, int b, const char* to, unsigned flags) noexcept {
  return watch_paths("rename", a, from, b, to,
                     [&] { return NEXT(renameat2)(a, from, b, to, flags); });
}
int symlink(const char* target, const char* path) noexcept {
  return watch_path("symlink", true, AT_FDCWD, path, [&] { return NEXT(symlink)(target, path); });
}
int unlink(const char* path) noexcept {
  return watch_path("unlink", true, AT_FDCWD, path, [&] { return NEXT(unlink)(path); });
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  return watch_path((flags & AT_REMOVEDIR) ? "rmdir" : "unlink", true, folder, path,
                    [&] { return NEXT(unlinkat)(folder, path, flags); });
}
int remove(const char* path) noexcept {
  return watch_path("unlink", true, AT_FDCWD, path, [&] { return NEXT(remove)(path); });
}
int rmdir(const char* path) noexcept {
  return watch_path("rmdir", true, AT_FDCWD, path, [&] { return NEXT(rmdir)(path); });
}
int mkdir(const char* path, mode_t mode) noexcept {
  return watch_path("mkdir", true, AT_FDCWD, path, [&] { return NEXT(mkdir)(path, mode); });
}
int chmod(const char* path, mode_t mode) noexcept {
  return watch_path("chmod", true, AT_FDCWD, path, [&] { return NEXT(chmod)(path, mode); });
}
int truncate(const char* path, off_t size) noexcept {
  return watch_path("resize", true, AT_FDCWD, path, [&] { return NEXT(truncate)(path, size); });
}
int utimensat(int folder, const char* path, const struct timespec times[2], int flags) noexcept {
  return watch_path("utime", true, folder, path,
                    [&] { return NEXT(utimensat)(folder, path, times, flags); });
}
int stat(const char* path, struct stat* status) noexcept {
  return watch_path("stat", false, AT_FDCWD, path, [&] { return NEXT(stat)(path, status); });
}
int stat64(const char* path, struct stat64* status) noexcept {
  return stat(path, reinterpret_cast<struct stat*>(status));
}
int lstat(const char* path, struct stat* status) noexcept {
  return watch_path("stat", false, AT_FDCWD, path, [&] { return NEXT(lstat)(path, status); });
}
int lstat64(const char* path, struct stat64* status) noexcept {
  return lstat(path, reinterpret_cast<struct stat*>(status));
}
int fstatat(int folder, const char* path, struct stat* status, int flags) noexcept {
  return watch_path("stat", false, folder, path,
                    [&] { return NEXT(fstatat)(folder, path, status, flags); });
}
int access(const char* path, int mode) noexcept {
  return watch_path("access", false, AT_FDCWD, path, [&] { return NEXT(access)(path, mode); });
}
int statvfs(const char* path, struct statvfs* status) noexcept {
  return watch_path("statvfs", false, AT_FDCWD, path, [&] { return NEXT(statvfs)(path, status); });
}

char* mkdtemp(char* name) noexcept {
  const std::string path = is_active() ? absolute(AT_FDCWD, name) : "";
  if (!is_watched(path)) return NEXT(mkdtemp)(name);
  Watched watched({.operation = "mkdir", .changes = true, .path = path});
  char* const made = watched.verdict() == Verdict::make ? NEXT(mkdtemp)(name) : nullptr;
  watched.found_name(absolute(AT_FDCWD, name));
  watched.made(made ? 0 : -1);
  return made;
}

}  // extern "C"
