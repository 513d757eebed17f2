#include "preprocess/inputs/unnamed_pictures.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "letterpress/base/folder.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress {
namespace {

// "a/b", "1.jpg" of "a/b/1.jpg".
std::pair<std::string, std::string> parted(const std::string& member) {
  const std::size_t slash = member.rfind('/');
  if (slash == std::string::npos) return {"", member};
  return {member.substr(0, slash), member.substr(slash + 1)};
}

// Masks are of formats that keep each pixel's value.
bool may_be_mask(std::string_view file) { return promised_format(file) != "JPEG"; }

// A folder that may be written in several ways, and hashes of what is named of it, whole and
// without extensions since 1.png beside 1.jpg may be its mask; sorted.
struct Folder {
  std::string path{};
  std::vector<std::size_t> named{};

  void add(std::string_view file) {
    named.push_back(std::hash<std::string_view>()(file));
    named.push_back(hash_of(file));
  }
  bool names(std::string_view file) const {
    return holds(std::hash<std::string_view>()(file)) || (may_be_mask(file) && names_alike(file));
  }
  // But for the extension.
  bool names_alike(std::string_view file) const { return holds(hash_of(file)); }
  static std::size_t hash_of(std::string_view file) {
    return std::hash<std::string_view>()(without_extension(file));
  }

 private:
  bool holds(std::size_t hash) const { return std::ranges::binary_search(named, hash); }
};

// Where the file system does not say what an entry is, it counts.
bool may_be_file(unsigned char type) {
  return type == DT_REG || type == DT_LNK || type == DT_UNKNOWN;
}

using FolderId = std::pair<dev_t, ino_t>;

std::optional<FolderId> id_of(const std::string& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return std::nullopt;
  return FolderId{status.st_dev, status.st_ino};
}

std::map<FolderId, Folder> named_folders(const Inputs& inputs) {
  std::map<FolderId, Folder> folders;
  std::map<std::string_view, Folder*> by_text;
  for (const Candidate& candidate : inputs.candidates) {
    const std::string_view path = candidate.item.path;
    if (!path.starts_with('/') || !candidate.item.member.empty()) continue;
    const std::size_t slash = path.rfind('/');
    const auto [known, is_new] = by_text.try_emplace(path.substr(0, slash));
    if (is_new) {
      std::string text(path.substr(0, slash + 1));
      const std::optional<FolderId> id = id_of(text);
      if (!id) continue;  // its pictures are told as missing
      known->second = &folders[*id];
      if (known->second->path.empty()) known->second->path = std::move(text);
    }
    if (known->second) known->second->add(path.substr(slash + 1));
  }
  for (auto& [id, folder] : folders) std::ranges::sort(folder.named);
  return folders;
}

std::int64_t pictures_in(const std::string& folder) {
  std::int64_t n = 0;
  visit_entries(folder, [&](std::string_view name, unsigned char type) {
    n += !name.starts_with('.') && may_be_file(type) && has_picture_extension(name) ? 1 : 0;
  });
  return n;
}

// Where two named folders lie in one, that and what else lies there.
void count_in_other_folders(const std::map<FolderId, Folder>& named, UnnamedPictures& unnamed) {
  struct Parent {
    std::string path{};
    int named = 0;  // folders in it
  };
  std::map<FolderId, Parent> parents;
  for (const auto& [id, folder] : named) {
    const std::string path =
        folder.path.substr(0, folder.path.rfind('/', folder.path.size() - 2) + 1);
    const std::optional<FolderId> parent_id = id_of(path);
    if (!parent_id) continue;
    Parent& parent = parents[*parent_id];
    parent.path = path;
    ++parent.named;
  }
  const auto count = [&](const std::string& folder) {
    const std::optional<FolderId> id = id_of(folder);
    if (!id || named.contains(*id)) return;
    if (const std::int64_t n = pictures_in(folder); n > 0) unnamed.in_other_folders[folder] = n;
  };
  for (const auto& [id, parent] : parents) {
    if (parent.named < 2) continue;
    count(parent.path);
    visit_entries(parent.path, [&](std::string_view name, unsigned char type) {
      if (!name.starts_with('.') && type != DT_REG) count(parent.path + std::string(name) + "/");
    });
  }
}

// Of pictures that were refused: where they lie may be unknown.
std::vector<std::size_t> refused_names(const Inputs& inputs) {
  std::vector<std::size_t> hashes;
  for (const Candidate& candidate : inputs.candidates) {
    const std::string_view name = candidate.item.name;
    if (candidate.reject) hashes.push_back(Folder::hash_of(name.substr(name.rfind('/') + 1)));
  }
  std::ranges::sort(hashes);
  return hashes;
}

// Of pictures in archives: the folders there that hold named ones, by the archive's path.
std::map<std::string, std::map<std::string, Folder>> named_folders_in_archives(
    const Inputs& inputs) {
  std::map<std::string, std::map<std::string, Folder>> archives;
  for (const Candidate& candidate : inputs.candidates) {
    const std::string& member = candidate.item.member;
    if (member.empty()) continue;
    const auto [folder, name] = parted(member);
    archives[candidate.item.path][folder].add(name);
  }
  for (auto& [path, folders] : archives) {
    for (auto& [name, folder] : folders) std::ranges::sort(folder.named);
  }
  return archives;
}

void count_in_archives(const Inputs& inputs, const std::filesystem::path& unpacked,
                       const Folder& refused, UnnamedPictures& unnamed) {
  for (const auto& [path, folders] : named_folders_in_archives(inputs)) {
    for (const std::string& member : pictures_in_archive(path, unpacked)) {
      const auto [folder, name] = parted(member);
      const auto known = folders.find(folder);
      if (known == folders.end() || name.starts_with('.') || known->second.names(name) ||
          refused.names_alike(name) || !has_picture_extension(name))
        continue;
      unnamed.add(path + "/" + member);
    }
  }
}

}  // namespace

void UnnamedPictures::add(std::string path) {
  ++n;
  if (first.empty() || path < first) first = std::move(path);
}

UnnamedPictures unnamed_pictures(const Inputs& inputs, const std::filesystem::path& unpacked) {
  UnnamedPictures unnamed;
  const Folder refused{.named = refused_names(inputs)};
  const std::map<FolderId, Folder> named = named_folders(inputs);
  for (const auto& [id, folder] : named) {
    visit_entries(folder.path, [&](std::string_view name, unsigned char type) {
      if (name.starts_with('.') || !may_be_file(type) || folder.names(name) ||
          refused.names_alike(name) || !has_picture_extension(name))
        return;
      unnamed.add(folder.path + std::string(name));
    });
  }
  count_in_other_folders(named, unnamed);
  count_in_archives(inputs, unpacked, refused, unnamed);
  return unnamed;
}

}  // namespace letterpress
