#include "listed_files.h"

#include <dirent.h>

#include <algorithm>
#include <string_view>

#include "letterpress/base/folder.h"

namespace letterpress::annotations {
namespace {

std::vector<std::string> regular_files_in(const std::string& folder) {
  std::vector<std::string> names;
  visit_entries_if_any(folder, [&](std::string_view name, unsigned char type) {
    if (type == DT_REG) names.emplace_back(name);
  });
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
