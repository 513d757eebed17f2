#include "preprocess/inputs/unnamed_pictures.h"

#include <filesystem>
#include <map>
#include <string_view>
#include <unordered_set>

#include "letterpress/base/picture_extension.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

std::string_view folder_of(std::string_view path) { return path.substr(0, path.rfind('/')); }

// Names in each folder, of which one may be written in several ways.
std::map<fs::path, std::unordered_set<std::string_view>> names_by_folder(const Inputs& inputs) {
  std::map<fs::path, std::unordered_set<std::string_view>> folders;
  std::map<std::string_view, std::unordered_set<std::string_view>*> by_text;
  for (const Candidate& candidate : inputs.candidates) {
    const std::string_view path = candidate.item.path;
    if (!path.starts_with('/') || !candidate.item.member.empty()) continue;
    auto& names = by_text[folder_of(path)];
    if (!names) {
      std::error_code ignored;
      names = &folders[fs::canonical(folder_of(path), ignored)];
    }
    names->insert(path.substr(path.rfind('/') + 1));
  }
  folders.erase(fs::path());  // there is no such folder
  return folders;
}

}  // namespace

UnnamedPictures unnamed_pictures(const Inputs& inputs) {
  UnnamedPictures unnamed;
  for (const auto& [folder, names] : names_by_folder(inputs)) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (name.starts_with('.') || !has_picture_extension(name) || names.contains(name)) continue;
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
