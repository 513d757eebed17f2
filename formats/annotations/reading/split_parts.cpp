#include "split_parts.h"

#include <algorithm>
#include <array>
#include <set>

#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

bool starts_with(const InsideFolder& one, std::string_view start) {
  return std::string_view(one.name).substr(one.name.rfind('/') + 1).starts_with(start);
}

// By the names that COCO's own files have: what they hold begins too late to be looked at.
bool has_no_boxes(const InsideFolder& one) {
  constexpr std::array<std::string_view, 3> kWithout{"captions_", "panoptic_", "image_info_"};
  return std::string_view(one.format->name) == "coco" &&
         std::ranges::any_of(kWithout,
                             [&](std::string_view start) { return starts_with(one, start); });
}

// Of COCO's own files: their boxes are among those of instances_*.
void drop_keypoints(std::vector<InsideFolder>& found, std::vector<std::string>& remarks) {
  const auto has = [&](std::string_view start) {
    return std::ranges::any_of(found, [&](const auto& one) { return starts_with(one, start); });
  };
  if (!has("instances_") || !has("person_keypoints_")) return;
  const auto n = std::erase_if(
      found, [](const InsideFolder& one) { return starts_with(one, "person_keypoints_"); });
  remarks.push_back("passed over " +
                    counted(static_cast<std::int64_t>(n), "COCO file", "COCO files") +
                    " of keypoints (person_keypoints_*) beside instances_*");
}

// "Validation_annots" -> annots
std::vector<std::string> words_without_split(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  std::erase_if(words, [](const std::string& word) { return !split_of_word(word).empty(); });
  return words;
}

void note_without_labels(const Input& folder, const std::string& name,
                         std::vector<std::string>& remarks) {
  const auto n = static_cast<std::int64_t>(folder.files.files_below(folder.path / name, "").size());
  if (n == 0) return;
  remarks.push_back(printable((folder.path / name).string(), 1000) + " holds " +
                    counted(n, "picture", "pictures") +
                    ", but no label file for them could be read: they are left out");
}

}  // namespace

void drop_without_boxes(std::vector<InsideFolder>& found, std::vector<std::string>& remarks) {
  drop_keypoints(found, remarks);
  const auto n = std::ranges::count_if(found, has_no_boxes);
  if (n == 0 || n == std::ssize(found)) return;
  const std::string first = std::ranges::find_if(found, has_no_boxes)->name;
  std::erase_if(found, has_no_boxes);
  remarks.push_back("passed over " + counted(n, "COCO file", "COCO files") + " without boxes (" +
                    printable(first) + (n > 1 ? ", ..." : "") + ")");
}

bool join_as_splits(std::vector<InsideFolder>& found, std::vector<std::string>& remarks) {
  InsideFolder* unnamed = nullptr;
  std::set<std::string> splits;
  for (InsideFolder& one : found) {
    if (one.format != found.front().format) return false;
    if (!one.split.empty() && !splits.insert(one.split).second) return false;
    if (!one.split.empty()) continue;
    if (unnamed) return false;
    unnamed = &one;
  }
  if (!unnamed) return true;
  const std::vector<std::string> words = words_of(unnamed->name);
  const bool alike = std::ranges::all_of(
      found, [&](const InsideFolder& one) { return words_without_split(one.name) == words; });
  if (!alike || splits.contains("train")) return false;
  unnamed->split = "train";
  const InsideFolder& other = found[unnamed == &found.front() ? 1 : 0];
  remarks.push_back(unnamed->name + " is read as train, since " + other.name +
                    " beside it names a split");
  return true;
}

void note_unlabelled_splits(const Input& folder, const std::vector<InsideFolder>& found,
                            std::vector<std::string>& remarks) {
  std::set<std::string> splits;
  for (const InsideFolder& one : found) splits.insert(one.split);
  if (splits.contains("")) return;
  const auto is_lone = [&](const std::string& name) {
    const std::string split = split_in(name);
    return !split.empty() && !splits.contains(split) && is_named_by_splits_and_pictures(name) &&
           folder.files.is_folder(folder.path / name);
  };
  for (const std::string& name : folder.files.names_in(folder.path)) {
    if (is_lone(name)) {
      note_without_labels(folder, name, remarks);
    } else if (split_in(name).empty() && is_named_by_splits_and_pictures(name)) {
      for (const std::string& inner : folder.files.names_in(folder.path / name)) {
        if (is_lone((fs::path(name) / inner).string()))
          note_without_labels(folder, name + "/" + inner, remarks);
      }
    }
  }
}

}  // namespace letterpress::annotations
