#include "preprocess/inputs/unnamed_pictures.h"

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string_view>
#include <unordered_set>

#include "letterpress/base/picture_extension.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

// "1" of "1.jpg": 1.png beside it may be its mask.
std::string_view stem_of(std::string_view name) { return name.substr(0, name.rfind('.')); }

// A folder that may be written in several ways, and what is named of it.
struct Folder {
  std::string path{};
  std::unordered_set<std::string_view> stems{};
};

std::map<std::pair<dev_t, ino_t>, Folder> named_folders(const Inputs& inputs) {
  std::map<std::pair<dev_t, ino_t>, Folder> folders;
  std::map<std::string_view, Folder*> by_text;
  for (const Candidate& candidate : inputs.candidates) {
    const std::string_view path = candidate.item.path;
    if (!path.starts_with('/') || !candidate.item.member.empty()) continue;
    const std::size_t slash = path.rfind('/');
    const auto [known, is_new] = by_text.try_emplace(path.substr(0, slash));
    if (is_new) {
      std::string text(path.substr(0, slash + 1));
      struct stat status {};
      if (::stat(text.c_str(), &status) != 0) continue;  // its pictures are told as missing
      known->second = &folders[{status.st_dev, status.st_ino}];
      if (known->second->path.empty()) known->second->path = std::move(text);
    }
    if (known->second) known->second->stems.insert(stem_of(path.substr(slash + 1)));
  }
  return folders;
}

}  // namespace

UnnamedPictures unnamed_pictures(const Inputs& inputs) {
  UnnamedPictures unnamed;
  for (const auto& [id, folder] : named_folders(inputs)) {
    std::error_code error;
    for (fs::directory_iterator entry(folder.path, error);
         !error && entry != fs::directory_iterator(); entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (name.starts_with('.') || !has_picture_extension(name) ||
          folder.stems.contains(stem_of(name)))
        continue;
      std::error_code ignored;
      if (!entry->is_regular_file(ignored)) continue;
      ++unnamed.n;
      if (unnamed.first.empty() || entry->path().native() < unnamed.first)
        unnamed.first = entry->path();
    }
  }
  return unnamed;
}

}  // namespace letterpress
