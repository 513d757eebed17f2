#include "yolo_recognition.h"

#include "darknet_dataset.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/pictures/comment_lines.h"
#include "formats/annotations/pictures/picture_finder.h"
#include "formats/annotations/shared/data_yaml.h"
#include "letterpress/base/picture_extension.h"
#include "yolo_dataset.h"
#include "yolo_label_finder.h"
#include "yolo_label_paths.h"
#include "yolo_labels.h"
#include "yolo_sets_near.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostClasses = 10'000;  // of which a label file may be, before they are known

// KITTI's lines start with a class name.
bool is_of_another_format(const FileTree& files, const std::string& label) {
  const Expected<std::string> text = read_label_file(files, label);
  std::string_view line = text ? std::string_view(*text) : std::string_view();
  const std::string_view first = take_field(line);
  return !first.empty() && !parse_number(first);
}

// A folder of label files alone, by the first that is not empty.
Recognition recognise_labels(const Input& input) {
  const fs::path folder = yolo_label_folder_in(input);
  for (const std::string& name : yolo_label_files(input.files, folder)) {
    const Expected<std::string> text = read_label_file(input.files, folder / name);
    if (!text || count_lines(*text) == 0) continue;
    YoloDataset dataset;
    dataset.classes.assign(kMostClasses, "");
    const Expected<YoloLabels> labels = parse_yolo_labels(*text, printable(name), dataset);
    if (labels) return {true, "a folder of label files; " + printable(name) + " holds boxes"};
    return {false, "a folder without data.yaml or pictures, and " + labels.reject().where + ": " +
                       labels.reject().what};
  }
  return {false, "a folder without data.yaml, pictures or label files"};
}

Recognition recognise_folder(const Input& input, const AnnotationOptions& options) {
  const FileTree& files = input.files;
  const fs::path yaml = data_yaml_in(files, input.path);
  if (!yaml.empty())
    return {.fits = true,
            .why = "a folder with a " + printable(yaml.filename().string()),
            .rivals = Rivals::none};
  const std::string list = class_list_in(files, input.path);
  if (!list.empty()) return {.fits = true, .why = "a folder with " + list, .rivals = Rivals::none};
  const fs::path images = files.exists(input.path / "images") ? input.path / "images" : input.path;
  const std::vector<std::string> pictures = files.files_below(images, "");
  if (pictures.empty()) return recognise_labels(input);
  const std::vector<fs::path> bases = yolo_bases(files, images);
  YoloLabelFinder labels(files);
  for (const std::string& picture : pictures) {
    const std::string label = labels.find(bases, picture);
    if (label.empty()) continue;
    if (is_of_another_format(files, label))
      return {false, printable(label) + " does not start with a class id"};
    const bool is_deeper = is_above_pictures(input);
    const std::vector<YoloSetBelow> sets =
        is_deeper ? yolo_sets_to_read(input, options, yolo_sets_below(input))
                  : std::vector<YoloSetBelow>();
    if (!sets.empty())
      return {.fits = true,
              .why = printable(sets.front().file) + " in this folder",
              .rivals = Rivals::all};
    return {.fits = true,
            .why = "a folder of pictures; " + printable(picture) + " has its labels in " +
                   printable(label),
            .rivals = is_deeper ? Rivals::all : Rivals::in_splits};
  }
  return {false,
          "a folder of pictures without label files, neither beside them nor in labels/ beside "
          "images/"};
}

}  // namespace

fs::path yolo_label_folder_in(const Input& input) {
  const fs::path labels = input.path / "labels";
  return input.files.is_folder(labels) ? labels : input.path;
}

bool is_yolo_label_folder(const Input& input) {
  const fs::path images =
      input.files.exists(input.path / "images") ? input.path / "images" : input.path;
  return input.files.files_below(images, "").empty() && recognise_labels(input).fits;
}

Recognition recognise_yolo(const Input& input, const AnnotationOptions& options) {
  if (input.is_folder) return recognise_folder(input, options);
  if (is_darknet_data(input.path)) return {true, "Darknet's obj.data"};
  if (is_yaml(input.path)) {
    const bool fits = input.head.find("names") != std::string::npos ||
                      input.head.find("train") != std::string::npos;
    return {fits, fits ? "a YAML with names or train" : "a YAML without names and train"};
  }
  if (!input.is_text) return {false, "holds NUL bytes, must be a data.yaml or a list of pictures"};
  PictureFinder finder(input.files, input.folder(), {input.folder()}, options);
  Lines lines(input.head);
  CommentLines comments;
  YoloLabelFinder labels(input.files);
  bool lists_pictures = false;
  for (int i = 0; i < 100 && lines.next(); ++i) {
    if (!has_picture_extension(lines.text()) ||
        comments.passes_over(finder, std::string(lines.text())))
      continue;
    lists_pictures = true;
    const Expected<std::string> picture = finder.find(std::string(lines.text()), "");
    const std::string label = picture ? labels.find(*picture) : "";
    if (!label.empty())
      return {true, "a list of pictures; line " + std::to_string(lines.number()) +
                        " has its labels in " + printable(label)};
  }
  return {false, lists_pictures ? "lists pictures, but the first have no label files, neither "
                                  "beside them nor in labels/ beside images/"
                                : "not a data.yaml, and its lines are not pictures"};
}

}  // namespace letterpress::annotations
