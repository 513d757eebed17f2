#include "unread_labels.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "formats/annotations/files/disk_walk.h"
#include "formats/annotations/files/text.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

bool may_hold_boxes(const std::string& file) {
  constexpr std::array<std::string_view, 9> kEndings{
      ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xml", ".parquet", ".xlsx", ".mat"};
  const std::string name = in_small_letters(file);
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  if (std::ranges::any_of(kEndings, ends)) return true;
  // Others are licences and names of classes.
  return name.ends_with(".txt") &&
         (name.find("annot") != std::string::npos || name.find("box") != std::string::npos);
}

// The folders that hold pictures and those above them.
std::set<fs::path> folders_of(const std::vector<Placed>& pictures) {
  std::set<fs::path> folders{""};
  for (const Placed& picture : pictures) {
    fs::path folder = fs::path(picture.name).parent_path();
    while (folders.insert(folder).second) folder = folder.parent_path();
  }
  return folders;
}

}  // namespace

std::string remark_on_unread_labels(const Input& input, const std::vector<Placed>& pictures,
                                    const fs::path& classes) {
  const fs::path read = classes.empty() ? classes : fs::weakly_canonical(classes);
  std::int64_t n = 0;
  std::string first;
  for (const fs::path& folder : folders_of(pictures)) {
    for (const std::string& file : input.files.names_in(input.path / folder)) {
      if (!may_hold_boxes(file) || is_left_by_a_system(file)) continue;
      if (!read.empty() && fs::weakly_canonical(input.path / folder / file) == read) continue;
      if (n++ == 0) first = (folder / file).string();
    }
  }
  if (n == 0) return {};
  return counted(n, "file", "files") +
         " beside the pictures that may hold labels: not read, the first " + printable(first) +
         "; each picture gets the class of its folder, and no boxes";
}

}  // namespace letterpress::annotations
