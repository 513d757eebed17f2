#include "letterpress/base/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/look.h"
#include "system_call.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

struct Close {
  void operator()(DIR* open) const { ::closedir(open); }
};
using OpenFolder = std::unique_ptr<DIR, Close>;

// Null where it cannot be opened; errno says why.
OpenFolder open_folder(const std::string& folder) {
  OpenFolder open;
  do open.reset(::opendir(folder.c_str()));
  while (!open && errno == EINTR);
  return open;
}

// Right after open_folder().
void visit_open(const OpenFolder& open, const std::string& folder, const VisitEntry& visit) {
  const auto next = [&] { return errno = 0, ::readdir(open.get()); };
  for (const dirent* entry = open ? next() : nullptr; entry; entry = next()) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") visit(name, entry->d_type);
  }
  if (errno != 0) throw reading_error(folder, "folder cannot be read", errno);
}

// Where a folder cannot be made since its path is taken.
Error in_the_way(const fs::path& path) {
  std::error_code ignored;
  const bool is_link = fs::is_symlink(path, ignored);
  const std::string what =
      is_link ? "it is a symbolic link to " + fs::read_symlink(path, ignored).string() +
                    (fs::exists(path, ignored) ? ", which is not a folder" : ", which is not there")
              : "it is a file";
  return Error({.where = path.string(),
                .what = "folder cannot be created: File exists: " + what,
                .fix = is_link ? "name another folder, make the one that it leads to, or remove it"
                               : "name another folder, or move the file away"},
               Exit::cannot_create);
}

}  // namespace

void visit_names(const fs::path& folder, const std::function<void(std::string_view name)>& visit) {
  visit_entries(folder.string(), [&](std::string_view name, unsigned char) { visit(name); });
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  visit_names(folder, [&](std::string_view name) { names.emplace_back(name); });
  std::ranges::sort(names);
  return names;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const std::string& name : names_in(folder)) paths.push_back(folder / name);
  return paths;
}

void visit_entries(const std::string& folder, const VisitEntry& visit) {
  visit_open(open_folder(folder), folder, visit);
}

void visit_entries_if_any(const std::string& folder, const VisitEntry& visit) {
  const OpenFolder open = open_folder(folder);
  if (open || !says_absent(errno)) visit_open(open, folder, visit);
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

void make_folders(const fs::path& path) {
  std::error_code ignored;
  if (path.empty() || fs::is_directory(path, ignored)) return;
  make_folders(path.parent_path());
  const bool made = attempt("mkdir", path, [&] { return ::mkdir(path.c_str(), 0777); }) == 0;
  const int error_number = made ? 0 : errno;
  if (!made && !fs::is_directory(path, ignored)) {
    if (error_number == EEXIST) throw in_the_way(path);
    const Error error = system_error(path.string(), "folder cannot be created", error_number);
    throw error_number == ENOTDIR ? Error(error.message(), Exit::cannot_create) : error;
  }
  sync_folder(folder_of(path));
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

void remove_folder(const fs::path& path) {
  std::error_code error;
  if (fs::is_symlink(path, error)) return remove_file(path);  // not what it names
  std::vector<fs::path> inside;
  {
    const OpenFolder open = open_folder(path.native());
    if (!open && errno == ENOENT) return;
    visit_open(open, path.native(),
               [&](std::string_view name, unsigned char) { inside.push_back(path / name); });
  }
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
    // The failure that led here is the one to report.
  }
}

namespace {

void sync_by(int (*call)(int), const fs::path& path, int flags, const char* failure) {
  const int descriptor = open_or_fail(path, flags, "cannot be opened");
  const bool synced = attempt("sync", path, [&] { return call(descriptor); }) == 0;
  const int error_number = errno;
  ::close(descriptor);
  if (!synced) throw system_error(path.string(), failure, error_number);
}

}  // namespace

void sync_folder(const fs::path& path) {
  sync_by(::fsync, path.empty() ? fs::path(".") : path, O_RDONLY | O_DIRECTORY,
          "folder cannot be made durable (fsync)");
}

void sync_file_system(const fs::path& path) {
  sync_by(::syncfs, path, O_RDONLY, "its file system cannot be made durable (syncfs)");
}

std::int64_t free_bytes(const fs::path& folder) {
  struct statvfs status {};
  if (attempt("statvfs", folder, [&] { return ::statvfs(folder.c_str(), &status); }) < 0)
    fail(folder, "its free space cannot be read");
  return static_cast<std::int64_t>(status.f_bavail) * static_cast<std::int64_t>(status.f_frsize);
}

fs::path existing_folder(const fs::path& path) {
  fs::path folder = fs::absolute(path).lexically_normal();
  while (!fs::is_directory(folder) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

Error error_of(const std::filesystem::filesystem_error& refused) {
  const std::string where = refused.path1().empty() ? "a folder" : refused.path1().string();
  return reading_error(where, "cannot be examined", refused.code().value());
}

}  // namespace letterpress
