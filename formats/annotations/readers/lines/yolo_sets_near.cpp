#include "yolo_sets_near.h"

#include <algorithm>
#include <array>

#include "darknet_dataset.h"
#include "formats/annotations/files/archive.h"
#include "formats/annotations/files/disk_walk.h"
#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/data_yaml.h"
#include "yolo_class_lists.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

// "data.yaml", "obj.data"; empty: nothing in the folder says what it holds.
std::string set_file_in(const FileTree& files, const fs::path& folder) {
  const fs::path yaml = data_yaml_in(files, folder);
  return yaml.empty() ? class_list_in(files, folder) : yaml.filename().string();
}

// But for what is called like a picture or a label file: of those there may be a million.
std::vector<std::string> visible_folders_in(const FileTree& files, const fs::path& folder) {
  std::vector<std::string> names = files.names_in(folder);
  std::erase_if(names, [&](const std::string& name) {
    return matches(name, "") || matches(name, ".txt") || is_left_by_a_system(name + "/") ||
           !files.is_folder(folder / name);
  });
  return names;
}

bool is_part_of_a_set(const std::string& folder) {
  return folder == "images" || folder == "labels" || !split_of_folders(folder).empty();
}

// What is in an archive belongs to nothing beside it.
bool is_within(const FileTree& files, const fs::path& folder) {
  std::string ignored;
  return !files.archive() || files.archive()->locate(folder.string(), ignored);
}

}  // namespace

std::vector<YoloSetBelow> yolo_sets_below(const Input& input) {
  std::vector<YoloSetBelow> sets;
  std::string above;
  constexpr int kLevels = 8;
  for (int level = 0; level < kLevels; ++level) {
    const std::vector<std::string> folders = visible_folders_in(input.files, input.path / above);
    for (const std::string& name : folders) {
      if (is_part_of_a_set(name)) continue;
      const std::string file = set_file_in(input.files, input.path / above / name);
      if (!file.empty()) sets.push_back({above + name, above + name + "/" + file});
    }
    if (!sets.empty() || folders.size() != 1) break;
    above += folders.front() + "/";
  }
  return sets;
}

std::vector<YoloSetBelow> yolo_sets_to_read(const Input& input, const AnnotationOptions& options,
                                            std::vector<YoloSetBelow> below) {
  const bool has_classes = !options.classes.empty() || has_class_list_near(input);
  if (has_classes && (!options.splits_by_folders || options.kept_splits != KeptSplits::all))
    return {};
  std::erase_if(below, [&](const YoloSetBelow& set) {
    return (has_classes && !states_splits(input.files, input.path / set.file)) ||
           input.files.files_below(input.path / set.folder, "").empty();
  });
  return below;
}

std::vector<fs::path> folders_beside(const Input& input, const YoloSetBelow& set) {
  const fs::path own = input.path / set.folder;
  std::vector<fs::path> folders;
  for (const std::string& name : visible_folders_in(input.files, own.parent_path())) {
    if (own.parent_path() / name != own) folders.push_back(own.parent_path() / name);
  }
  return folders;
}

void note_folders_not_read(const FileTree& files, const std::vector<fs::path>& folders,
                           AnnotationSet& set) {
  for (const fs::path& folder : folders) {
    const auto n = static_cast<std::int64_t>(files.files_below(folder, "").size());
    std::error_code ignored;
    const std::array<std::string, 2> starts{folder.string() + "/",
                                            fs::weakly_canonical(folder, ignored).string() + "/"};
    const bool is_read = std::ranges::any_of(set.items, [&](const Item& item) {
      return std::ranges::any_of(
          starts, [&](const std::string& start) { return item.path.starts_with(start); });
    });
    if (n == 0 || is_read) continue;
    set.left_out.push_back({folder, n});
    set.remarks.push_back(printable(folder.string(), 1000) + " holds " +
                          counted(n, "picture", "pictures") +
                          " that are not read; name it by an --input, --val or --split of its own "
                          "if the set is to have them");
  }
}

bool states_splits(const FileTree& files, const fs::path& file) {
  return is_yaml(file) ? states_a_set(files, file) : is_darknet_data(file);
}

bool is_above_pictures(const Input& folder) {
  return !folder.files.exists(folder.path / "images") && !folder.files.holds_file(folder.path, "");
}

fs::path yolo_set_above(const Input& input) {
  fs::path folder = absolute_folder(input.folder());
  for (int levels = 0; levels < 2 && folder.has_relative_path(); ++levels) {
    folder = folder.parent_path();
    if (!is_within(input.files, folder)) break;
    const fs::path yaml = data_yaml_in(input.files, folder);
    if (!yaml.empty() && states_a_set(input.files, yaml)) return yaml;
    if (input.files.exists(folder / kObjData)) return folder / kObjData;
  }
  return {};
}

}  // namespace letterpress::annotations
