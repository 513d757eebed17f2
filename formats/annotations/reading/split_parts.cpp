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

// Folders of pictures in the folder, or in one of pictures there, that name a split.
std::vector<std::string> split_folders_in(const Input& folder) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!split_in(name).empty() && is_named_by_splits_and_pictures(name) &&
        folder.files.is_folder(folder.path / name))
      names.push_back(name);
  };
  for (const std::string& name : folder.files.names_in(folder.path)) {
    add(name);
    if (!split_in(name).empty() || !is_named_by_splits_and_pictures(name)) continue;
    for (const std::string& inner : folder.files.names_in(folder.path / name))
      add(name + "/" + inner);
  }
  return names;
}

void add_left_out(const Input& folder, const std::string& name,
                  std::vector<LeftOutFolder>& left_out) {
  const auto n = static_cast<std::int64_t>(folder.files.files_below(folder.path / name, "").size());
  if (n > 0) left_out.push_back({folder.path / name, n});
}

// Whether a picture or its label file lies in the folder, as it is written or with links resolved.
bool holds_any(const fs::path& folder, const AnnotationSet& set) {
  std::error_code ignored;
  const std::array<std::string, 2> starts{folder.string() + "/",
                                          fs::weakly_canonical(folder, ignored).string() + "/"};
  const auto is_in = [&](const auto& one) {
    return std::ranges::any_of(starts, [&](const std::string& start) {
      return one.path.starts_with(start) || one.where.starts_with(start);
    });
  };
  return std::ranges::any_of(set.items, is_in) || std::ranges::any_of(set.rejects, is_in);
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

std::vector<LeftOutFolder> splits_without_labels(const Input& folder,
                                                 const std::vector<InsideFolder>& found) {
  std::vector<LeftOutFolder> left_out;
  std::set<std::string> splits;
  for (const InsideFolder& one : found) splits.insert(one.split);
  if (splits.contains("")) return left_out;
  for (const std::string& name : split_folders_in(folder)) {
    if (!splits.contains(split_in(name))) add_left_out(folder, name, left_out);
  }
  return left_out;
}

std::vector<LeftOutFolder> splits_without_items(const Input& folder, const AnnotationSet& set) {
  std::vector<LeftOutFolder> left_out;
  for (const std::string& name : split_folders_in(folder)) {
    if (!holds_any(folder.path / name, set)) add_left_out(folder, name, left_out);
  }
  return left_out;
}

void note_left_out(const std::vector<LeftOutFolder>& folders, std::vector<std::string>& remarks) {
  for (const auto& [folder, pictures] : folders)
    remarks.push_back(printable(folder.string(), 1000) + " holds " +
                      counted(pictures, "picture", "pictures") +
                      ", but no label file for them could be read: they are left out");
}

}  // namespace letterpress::annotations
