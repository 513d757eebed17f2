#include "file_tree.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <span>

#include "archive.h"
#include "disk_walk.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/folder.h"
#include "letterpress/base/look.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

std::string file_kind(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

using Members = std::span<const ArchiveMember>;

// Members are sorted by name: those from this name on.
Members from(Members members, const std::string& name) {
  const auto first = std::ranges::lower_bound(members, name, {}, &ArchiveMember::name);
  return {first, members.end()};
}

FilesBelow members_below(const Archive& archive, const std::string& folder,
                         std::string_view extension) {
  const std::string prefix = folder.empty() ? "" : folder + "/";
  FilesBelow below;
  for (const ArchiveMember& member : from(archive.members(), prefix)) {
    if (!member.name.starts_with(prefix)) break;
    below.add(member.name.substr(prefix.size()), extension);
  }
  return below;
}

std::vector<std::string> names_in_archive(const Archive& archive, const std::string& folder) {
  const std::string prefix = folder.empty() ? "" : folder + "/";
  std::vector<std::string> names;
  constexpr char kBehindSlash = '/' + 1;
  Members rest = from(archive.members(), prefix);
  while (!rest.empty() && rest.front().name.starts_with(prefix)) {
    const std::string& path = rest.front().name;
    const std::size_t slash = path.find('/', prefix.size());
    std::string name = path.substr(prefix.size(), slash - prefix.size());
    rest = slash == std::string::npos ? rest.subspan(1) : from(rest, prefix + name + kBehindSlash);
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string member_fault(const Archive& archive, const std::string& name) {
  if (archive.find(name)) return {};
  return archive.has_folder(name) ? "is a folder, must be a file" : std::string(kMissing);
}

}  // namespace

// The archive that a path leads into, and the name there; nullptr: into none.
const Archive* FileTree::archive_of(const std::string& path, std::string& name) const {
  return archive_ && archive_->locate(path, name) ? archive_ : nullptr;
}

std::vector<std::string> FileTree::files_below(const fs::path& folder, std::string_view extension,
                                               AnnotationSet* set) const {
  std::string name;
  const Archive* archive = archive_of(folder.string(), name);
  FilesBelow below =
      archive ? members_below(*archive, name, extension) : disk_files_below(folder, extension);
  if (set) {
    for (const std::string& left : below.left)
      (is_in_hidden_folder(left) ? set->hidden : set->passed_over).insert((folder / left).string());
    set->links_left.insert(below.links.begin(), below.links.end());
  }
  return std::move(below.files);
}

std::vector<std::string> FileTree::names_in(const fs::path& folder) const {
  std::string name;
  if (const Archive* archive = archive_of(folder.string(), name))
    return names_in_archive(*archive, name);
  std::vector<std::string> names;
  visit_entries_if_any(folder.string(),
                       [&](std::string_view entry, unsigned char) { names.emplace_back(entry); });
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
  return is_there(path);
}

bool FileTree::is_folder(const fs::path& path) const {
  std::string name;
  if (const Archive* archive = archive_of(path.string(), name)) return archive->has_folder(name);
  return is_folder_at(path);
}

bool FileTree::leads_nowhere(const fs::path& path) const {
  std::string name;
  if (archive_of(path.string(), name)) return false;
  for (fs::path part = path; part.has_relative_path(); part = part.parent_path()) {
    const fs::file_type type = type_of_link(part);
    if (type == fs::file_type::not_found) continue;
    return type == fs::file_type::symlink && !is_there(part);
  }
  return false;
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
  return File::open_to_read(path).regular_size(fix);
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
  return member ? archive_->read_head(*member, member->length) : read_file(path);
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
