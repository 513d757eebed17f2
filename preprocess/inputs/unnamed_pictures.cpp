#include "preprocess/inputs/unnamed_pictures.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

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

// Of what is only a hint: what cannot be looked at is left out.
void look_into(const std::string& folder, const VisitEntry& visit) {
  try {
    visit_entries_if_any(folder, visit);
  } catch (const Error&) {
  }
}

std::int64_t pictures_in(const std::string& folder) {
  std::int64_t n = 0;
  look_into(folder, [&](std::string_view name, unsigned char type) {
    n += !name.starts_with('.') && may_be_file(type) && has_picture_extension(name) ? 1 : 0;
  });
  return n;
}

// "a/b/" of "a/b/c/".
std::string folder_above(const std::string& folder) {
  return folder.size() < 2 ? "" : folder.substr(0, folder.rfind('/', folder.size() - 2) + 1);
}

// "c/" of "a/b/c/".
std::string own_name(const std::string& folder) {
  return folder.substr(folder_above(folder).size());
}

// Folders of which two lie in one of them (images/a, images/b), or two of one name in its folders
// (train/images, valid/images); each by its path, with the name or "".
class Families {
 public:
  void add(const std::string& folder) {
    const std::string above = folder_above(folder);
    ++members_[{above, ""}];
    ++members_[{folder_above(above), own_name(folder)}];
  }
  bool has(const std::string& folder) const {
    const std::string above = folder_above(folder);
    return is_one(above, "") || is_one(folder, "") || is_one(folder_above(above), own_name(folder));
  }
  // take(folder): each that may be of one, but for the named ones.
  template <class Take>
  void visit(const Take& take) const {
    for (const auto& [family, n] : members_) {
      const auto& [path, name] = family;
      if (n < 2) continue;
      if (name.empty()) take(path);
      look_into(path, [&](std::string_view entry, unsigned char type) {
        if (!entry.starts_with('.') && type != DT_REG) take(path + std::string(entry) + "/" + name);
      });
    }
  }

 private:
  bool is_one(const std::string& path, const std::string& name) const {
    const auto family = members_.find({path, name});
    return family != members_.end() && family->second > 1;
  }
  std::map<std::pair<std::string, std::string>, int> members_;
};

void count_in_other_folders(const std::map<FolderId, Folder>& named, UnnamedPictures& unnamed) {
  Families families;
  for (const auto& [id, folder] : named) families.add(folder.path);
  std::set<FolderId> counted;
  families.visit([&](const std::string& folder) {
    const std::optional<FolderId> id = id_of(folder);
    if (!id || named.contains(*id) || !counted.insert(*id).second) return;
    if (const std::int64_t n = pictures_in(folder); n > 0) unnamed.in_other_folders[folder] = n;
  });
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
    Families families;
    for (const auto& [folder, named] : folders)
      families.add(path + "/" + (folder.empty() ? "" : folder + "/"));
    for (const std::string& member : pictures_in_archive(path, unpacked)) {
      const auto [folder, name] = parted(member);
      if (name.starts_with('.') || !has_picture_extension(name)) continue;
      const auto known = folders.find(folder);
      const std::string whole = path + "/" + (folder.empty() ? "" : folder + "/");
      if (known == folders.end()) {
        if (families.has(whole)) ++unnamed.in_other_folders[whole];
      } else if (!known->second.names(name) && !refused.names_alike(name)) {
        unnamed.add(path + "/" + member);
      }
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
    visit_entries_if_any(folder.path, [&](std::string_view name, unsigned char type) {
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
