#include "data_yaml.h"

#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;

bool states_a_set(const FileTree& files, const fs::path& yaml) {
  constexpr std::int64_t kHead = 64 << 10;
  const std::string head = files.read_head(yaml, kHead);
  bool names = false, splits = false;
  for (Lines lines(head); lines.next();) {
    const std::size_t colon = lines.text().find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = trim(lines.text().substr(0, colon));
    const std::string split = split_of_name(key);
    names = names || key == "names";
    splits = splits || split == "train" || split == "val";
  }
  return names && splits;
}

bool is_yaml(const fs::path& path) {
  return path.extension() == ".yaml" || path.extension() == ".yml";
}

fs::path data_yaml_in(const FileTree& files, const fs::path& folder) {
  if (files.exists(folder / "data.yaml")) return folder / "data.yaml";
  fs::path found;
  for (const std::string& name : files.names_in(folder)) {
    if (!name.ends_with(".yaml") && !name.ends_with(".yml")) continue;
    const fs::path path = folder / name;
    if (!is_yaml(path) || files.is_folder(path) || !states_a_set(files, path)) continue;
    if (!found.empty()) return {};
    found = path;
  }
  return found;
}

}  // namespace letterpress::annotations
