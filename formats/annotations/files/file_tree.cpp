#include "file_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "archive.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/picture_extension.h"
#include "text.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

bool matches(std::string_view name, std::string_view extension) {
  return extension.empty() ? has_picture_extension(name) || has_unread_picture_extension(name)
                           : name.ends_with(extension) && name.size() > extension.size();
}

[[noreturn]] void fail(const fs::path& folder, const std::error_code& error) {
  throw Error({.where = folder.string(),
               .what = "cannot be listed: " + error.message(),
               .fix = "check the path and its permissions"},
              Exit::io);
}

// In a folder that may be listed but not entered, each file would be told as missing.
void require_entry(const fs::path& folder) {
  if (::faccessat(AT_FDCWD, folder.c_str(), X_OK, AT_EACCESS) == 0 || errno != EACCES) return;
  throw Error({.where = folder.string(),
               .what = "may be listed but not entered: permission denied",
               .fix = "give this user the right to enter it (chmod +x), and the folders in it"},
              Exit::io);
}

// A store that was made within the folder of its labels: its files are not labels.
bool is_store(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "FORMAT", ignored) && fs::is_directory(folder / "shards", ignored) &&
         fs::is_directory(folder / "snapshots", ignored);
}

std::string file_kind(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

/// What is below a folder, by paths from it.
struct Below {
  std::vector<std::string> files{};  ///< with the extension
  std::vector<std::string> left{};   ///< by a system, whatever its extension
  void add(std::string path, std::string_view extension) {
    if (is_left_by_a_system(path)) {
      left.push_back(std::move(path));
    } else if (matches(path, extension)) {
      files.push_back(std::move(path));
    }
  }
};

Below members_below(const Archive& archive, const std::string& folder, std::string_view extension) {
  const std::string prefix = folder.empty() ? "" : folder + "/";
  Below below;
  for (const ArchiveMember& member : archive.members()) {
    if (member.name.starts_with(prefix)) below.add(member.name.substr(prefix.size()), extension);
  }
  return below;
}

std::vector<std::string> names_in_archive(const Archive& archive, const std::string& folder) {
  const std::string prefix = folder.empty() ? "" : folder + "/";
  std::vector<std::string> names;
  for (const ArchiveMember& member : archive.members()) {
    if (!member.name.starts_with(prefix)) continue;
    const std::string rest = member.name.substr(prefix.size());
    std::string name = rest.substr(0, rest.find('/'));
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Below disk_files_below(const fs::path& folder, std::string_view extension) {
  Below below;
  const std::size_t prefix = folder.native().size() + (folder.native().ends_with('/') ? 0 : 1);
  std::error_code error, ignored;
  fs::path listed = folder;  // the last one that was, or is by the next increment
  fs::recursive_directory_iterator entry(folder, error);
  if (error) fail(listed, error);
  require_entry(listed);
  for (; entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string& path = entry->path().native();
    const bool folder_entry = entry->is_directory(ignored);
    if (folder_entry && !entry->is_symlink(ignored)) {
      listed = entry->path();
      if (is_store(listed)) {
        entry.disable_recursion_pending();
      } else {
        require_entry(listed);
      }
    }
    if (!folder_entry) below.add(path.substr(prefix), extension);
  }
  if (error) fail(listed, error);
  std::sort(below.files.begin(), below.files.end());
  return below;
}

std::string member_fault(const Archive& archive, const std::string& name) {
  if (archive.find(name)) return {};
  return archive.has_folder(name) ? "is a folder, must be a file" : std::string(kMissing);
}

}  // namespace

bool is_left_by_a_system(std::string_view path) {
  constexpr std::array<std::string_view, 6> kLeft{"__MACOSX",  ".ipynb_checkpoints", ".DS_Store",
                                                  "Thumbs.db", "desktop.ini",        "Desktop.ini"};
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view name = take_until(rest, '/');
    if (name.starts_with("._") || std::ranges::find(kLeft, name) != kLeft.end()) return true;
  }
  return false;
}

// The archive that a path leads into, and the name there; nullptr: into none.
const Archive* FileTree::archive_of(const std::string& path, std::string& name) const {
  return archive_ && archive_->locate(path, name) ? archive_ : nullptr;
}

std::vector<std::string> FileTree::files_below(const fs::path& folder, std::string_view extension,
                                               std::set<std::string>* passed_over) const {
  std::string name;
  const Archive* archive = archive_of(folder.string(), name);
  Below below =
      archive ? members_below(*archive, name, extension) : disk_files_below(folder, extension);
  if (passed_over) {
    for (const std::string& left : below.left) passed_over->insert((folder / left).string());
  }
  return std::move(below.files);
}

std::vector<std::string> FileTree::names_in(const fs::path& folder) const {
  std::string name;
  if (const Archive* archive = archive_of(folder.string(), name))
    return names_in_archive(*archive, name);
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool FileTree::holds_file(const fs::path& folder, std::string_view extension) const {
  const std::vector<std::string> names = names_in(folder);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return matches(name, extension) && !is_left_by_a_system(name);
  });
}

bool FileTree::exists(const fs::path& path) const {
  std::string name;
  if (const Archive* archive = archive_of(path.string(), name))
    return archive->find(name) || archive->has_folder(name);
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool FileTree::is_folder(const fs::path& path) const {
  std::string name;
  if (const Archive* archive = archive_of(path.string(), name)) return archive->has_folder(name);
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool FileTree::leads_nowhere(const fs::path& path) const {
  std::string name;
  std::error_code ignored;
  return !archive_of(path.string(), name) && fs::is_symlink(path, ignored) &&
         fs::status(path, ignored).type() == fs::file_type::not_found;
}

// nullptr: a file on disk.
const ArchiveMember* FileTree::member_at(const fs::path& path) const {
  std::string name;
  const Archive* archive = archive_of(path.string(), name);
  if (!archive) return nullptr;
  if (const ArchiveMember* member = archive->find(name)) return member;
  throw Error({.where = path.string(),
               .what = "the archive has no such file",
               .fix = std::string("list what it has with ") + archive->lister() + " " +
                      archive->real_path()},
              Exit::no_input);
}

FileBytes FileTree::bytes_of(const fs::path& path) const {
  const ArchiveMember* const member = member_at(path);
  return member ? FileBytes{archive_->real_path(), member->offset, member->length}
                : FileBytes{path.string()};
}

std::int64_t FileTree::size_of(const fs::path& path, const std::string& fix) const {
  if (const ArchiveMember* const member = member_at(path)) return member->length;
  const File file = File::open_to_read(path);
  file.require_regular(fix);
  return file.size();
}

void FileTree::read(const fs::path& path, std::span<std::byte> bytes) const {
  if (const ArchiveMember* const member = member_at(path)) return archive_->read(*member, bytes);
  File::open_to_read(path).read_at(0, bytes);
}

std::string FileTree::read_head(const fs::path& path, std::int64_t n) const {
  if (const ArchiveMember* const member = member_at(path)) return archive_->read_head(*member, n);
  const File file = File::open_to_read(path);
  std::string head(static_cast<std::size_t>(std::min(n, file.size())), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(head)));
  return head;
}

std::string FileTree::read_text(const fs::path& path) const {
  const ArchiveMember* const member = member_at(path);
  if (!member) return read_file(path);
  std::string text(static_cast<std::size_t>(member->length), '\0');
  archive_->read(*member, std::as_writable_bytes(std::span(text)));
  return text;
}

std::string FileTree::file_fault(const std::string& path) const {
  std::string name;
  if (const Archive* archive = archive_of(path, name)) return member_fault(*archive, name);
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0)
    return S_ISREG(status.st_mode) ? "" : "is " + file_kind(status.st_mode) + ", must be a file";
  switch (errno) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
      return std::string(kMissing);
    case ELOOP:
      return "is a symbolic link that leads in a circle";
    case EACCES:
      return "cannot be reached: permission denied";
    default:
      throw system_error(path, "cannot be examined", errno);
  }
}

}  // namespace letterpress::annotations
