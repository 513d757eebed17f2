#include "tree.h"

#include <algorithm>

#include "letterpress/base/error.h"
#include "text.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

bool matches(std::string_view name, std::string_view extension) {
  return extension.empty() ? has_picture_extension(name) : name.ends_with(extension) && name.size() > extension.size();
}

[[noreturn]] void fail(const fs::path& folder, const std::error_code& error) {
  throw Error(folder.string() + ": cannot be listed: " + error.message() + "; check the path and its permissions", Exit::io);
}

}  // namespace

std::vector<std::string> files_below(const fs::path& folder, std::string_view extension) {
  std::vector<std::string> files;
  const std::size_t prefix = folder.native().size() + (folder.native().ends_with('/') ? 0 : 1);
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  if (error) fail(folder, error);
  for (; entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string& path = entry->path().native();
    if (matches(path, extension) && !entry->is_directory(error)) files.push_back(path.substr(prefix));
  }
  if (error) fail(folder, error);
  std::sort(files.begin(), files.end());
  return files;
}

bool holds_file(const fs::path& folder, std::string_view extension) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (matches(entry->path().native(), extension)) return true;
  }
  return false;
}

}  // namespace letterpress::annotations
