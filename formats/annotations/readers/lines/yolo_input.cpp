#include "yolo_input.h"

#include <algorithm>

#include "darknet_dataset.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/class_names.h"
#include "formats/annotations/shared/data_yaml.h"
#include "letterpress/base/error.h"
#include "letterpress/base/shell_word.h"
#include "yolo_class_lists.h"
#include "yolo_recognition.h"
#include "yolo_sets_near.h"
#include "yolo_split_lists.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse_sets(const Input& input, const std::vector<YoloSetBelow>& sets) {
  std::string list;
  for (const YoloSetBelow& set : sets) list += "\n  " + (input.path / set.file).string();
  throw Error({.where = input.path.string(),
               .what = "holds " + std::to_string(sets.size()) +
                       " sets of YOLO, each with a file that says what it holds",
               .fix = "name each that you want by an --input, --val or --split of its own:" + list},
              Exit::usage);
}

// Of the one set below the folder that says what it holds.
YoloDataset dataset_of_set(const Input& input, const YoloSetBelow& set,
                           const AnnotationOptions& options) {
  const fs::path folder = input.path / set.folder, file = input.path / set.file;
  YoloDataset dataset = is_yaml(file) ? read_data_yaml(input.files, file, options)
                                      : dataset_by_class_list(input.files, folder, options);
  // Its paths start from Darknet's folder, which holds that of the file.
  if (is_darknet_data(file)) dataset.folder = folder.parent_path();
  dataset.beside = folders_beside(input, set);
  dataset.remarks.push_back(file.string() + " says what this folder holds, and is read");
  return dataset;
}

// A file that states splits and is not read is told, where no flag states them.
void note_unread_set(const Input& input, const AnnotationOptions& options,
                     const std::vector<YoloSetBelow>& sets, YoloDataset& dataset) {
  if (!input.is_folder || !options.splits_by_folders) return;
  std::string file = yolo_set_above(input).string();
  for (const YoloSetBelow& set : sets) {
    if (file.empty() && states_splits(input.files, input.path / set.file))
      file = (input.path / set.file).string();
  }
  if (file.empty()) return note_split_lists_above(input, options, dataset);
  dataset.remarks.push_back(printable(file, 1000) +
                            " states splits and is not read; to read it, pass --input " +
                            shell_word(file));
}

YoloDataset with_class_names(const Input& input, const AnnotationOptions& options) {
  YoloDataset dataset;
  const std::string near = options.classes.empty() ? class_list_near(input) : "";
  if (!near.empty()) {
    dataset.classes = read_class_names(input.files, input.path / near);
    dataset.classes_from = near;
    dataset.remarks.push_back("class names are those of " + (input.path / near).string());
  } else {
    dataset.classes = required_class_names(input, options);
    dataset.classes_from = options.classes.filename().string();
  }
  dataset.folder = input.folder();
  return dataset;
}

YoloDataset described_or_found(const Input& input, const AnnotationOptions& options) {
  const fs::path yaml = input.is_folder ? data_yaml_in(input.files, input.path) : fs::path();
  if (!yaml.empty()) return read_data_yaml(input.files, yaml, options);
  if (!input.is_folder && is_yaml(input.path))
    return read_data_yaml(input.files, input.path, options);
  if (is_darknet_data(input.path)) return read_darknet_data(input.files, input.path, options);
  if (input.is_folder && !class_list_in(input.files, input.path).empty())
    return dataset_by_class_list(input.files, input.path, options);
  const bool is_labels = input.is_folder && is_yolo_label_folder(input);
  const std::vector<YoloSetBelow> sets_below =
      input.is_folder && !is_labels ? yolo_sets_below(input) : std::vector<YoloSetBelow>();
  if (!sets_below.empty() && is_above_pictures(input)) {
    const std::vector<YoloSetBelow> sets = yolo_sets_to_read(input, options, sets_below);
    if (sets.size() > 1) refuse_sets(input, sets);
    if (!sets.empty()) return dataset_of_set(input, sets.front(), options);
  }
  YoloDataset dataset = with_class_names(input, options);
  note_unread_set(input, options, sets_below, dataset);
  const bool below = input.is_folder && input.files.exists(input.path / "images");
  if (is_labels) {
    dataset.sources.push_back(
        {.path = yolo_label_folder_in(input), .split = "", .is_labels = true});
  } else {
    dataset.sources.push_back({below ? input.path / "images" : input.path, ""});
  }
  return dataset;
}

}  // namespace

YoloDataset yolo_dataset_of(const Input& input, const AnnotationOptions& options) {
  YoloDataset dataset = described_or_found(input, options);
  if (options.classes.empty()) check_class_lists_near(input.files, dataset);
  const bool states_none = std::ranges::all_of(
      dataset.sources, [](const YoloSource& source) { return source.split.empty(); });
  if (states_none && (input.is_folder || is_yaml(input.path)))
    take_split_lists({.files = input.files, .path = dataset.folder, .is_folder = true}, options,
                     dataset);
  return dataset;
}

}  // namespace letterpress::annotations
