#include "listed_files.h"

#include <dirent.h>

#include <algorithm>
#include <memory>
#include <string_view>

namespace letterpress::annotations {
namespace {

// Without a call per name where the file system tells what each is.
std::vector<std::string> regular_files_in(const std::string& folder) {
  struct Close {
    void operator()(DIR* open) const { ::closedir(open); }
  };
  std::vector<std::string> names;
  const std::unique_ptr<DIR, Close> open(::opendir(folder.c_str()));
  while (const dirent* entry = open ? ::readdir(open.get()) : nullptr) {
    if (entry->d_type == DT_REG) names.emplace_back(entry->d_name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

bool ListedFiles::contains(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return false;
  Folder& folder = folders_[path.substr(0, slash)];
  if (folder.asked == asks_) folder.files = regular_files_in(path.substr(0, slash + 1));
  if (folder.asked <= asks_) ++folder.asked;
  return folder.asked > asks_ &&
         std::ranges::binary_search(folder.files, std::string_view(path).substr(slash + 1));
}

}  // namespace letterpress::annotations
