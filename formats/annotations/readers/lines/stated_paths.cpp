#include "stated_paths.h"

#include <algorithm>

#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;

std::vector<fs::path> below_roots(const fs::path& first, const fs::path& stated,
                                  const std::vector<fs::path>& roots) {
  std::vector<fs::path> paths{first / stated};
  for (const fs::path& root : roots) {
    if (!stated.is_absolute()) paths.push_back(root / stated);
  }
  return paths;
}

fs::path by_longest_end(const FileTree& files, std::string stated, const std::string& split,
                        const std::vector<fs::path>& starts) {
  std::ranges::replace(stated, '\\', '/');
  for (std::string_view end = stated; !end.empty(); take_until(end, '/')) {
    if (end.starts_with('/') || end.starts_with('.')) continue;
    if (end.find('/') == std::string_view::npos && split_in(end) != split) continue;
    for (const fs::path& start : starts) {
      if (files.exists(start / end)) return (start / end).lexically_normal();
    }
  }
  return {};
}

bool leads_to_pictures(const FileTree& files, const fs::path& path) {
  if (files.is_folder(path)) {
    return files.holds_file(path, "") ||
           std::ranges::any_of(files.names_in(path), [&](const std::string& name) {
             return files.is_folder(path / name) && files.holds_file(path / name, "");
           });
  }
  if (path.extension() != ".txt" || !files.file_fault(path.string()).empty()) return false;
  constexpr std::int64_t kHead = 4096;
  const std::string head = files.read_head(path, kHead);
  Lines lines(head);
  return lines.next() && has_picture_extension(lines.text());
}

}  // namespace letterpress::annotations
