// YOLO: a data.yaml, or a bare list or folder of pictures; for each picture a label file with the
// folder `labels` in place of `images`, or beside it (format as in
// docs.ultralytics.com/datasets/detect and pjreddie.com/darknet/yolo).
#include <algorithm>
#include <unordered_set>

#include "class_names.h"
#include "format.h"
#include "letterpress/base/error.h"
#include "letterpress/base/picture_extension.h"
#include "picture_finder.h"
#include "text.h"
#include "tree.h"
#include "yolo_dataset.h"
#include "yolo_labels.h"

namespace letterpress::annotations {
extern const AnnotationFormat yolo;
namespace {
namespace fs = std::filesystem;

bool is_yaml(const fs::path& path) {
  return path.extension() == ".yaml" || path.extension() == ".yml";
}

// Where a picture's label file may be, the first that is there counts.
std::vector<std::string> label_paths(const std::string& picture) {
  const std::string beside = std::string(without_extension(picture)) + ".txt";
  const std::size_t at = beside.rfind("/images/");
  if (at == std::string::npos) return {beside};
  return {beside.substr(0, at) + "/labels/" + beside.substr(at + 8), beside};
}

// Empty: the picture has none.
std::string label_of(const std::string& picture) {
  for (std::string& path : label_paths(picture)) {
    if (file_fault(path) != kMissing) return std::move(path);
  }
  return {};
}

class YoloReader {
 public:
  YoloReader(const YoloDataset& dataset, const AnnotationOptions& options, AnnotationSet& set)
      : dataset_(dataset), options_(options), set_(set) {}

  void read(const YoloSource& source) {
    const std::string split = source.split.empty() ? "" : source.split + ": ";
    if (is_folder(source.place)) return read_folder(source);
    if (has_picture_extension(source.place.native())) {
      throw Error(source.place.string() + ": " + split +
                  "is a picture, wanted a folder or a list of pictures; name its folder");
    }
    const PictureFinder finder(dataset_.folder, {folder_of(source.place), dataset_.folder},
                               options_);
    const std::string text = read_text(source.place);
    Lines lines(text);
    while (lines.next()) {
      Item item;
      item.name = lines.text();
      item.where = source.place.string() + ":" + std::to_string(lines.number());
      item.split = source.split;
      Expected<std::string> path = finder.find(item.name, item.where);
      if (!path) {
        reject_picture(set_, path.reject(), 0);
        continue;
      }
      item.path = std::move(*path);
      read_picture(std::move(item));
    }
  }

  // A set of which not one label file is found is a wrong layout, not a set of backgrounds.
  void check_labels_found() const {
    if (labels_found_ > 0 || pictures_ == 0) return;
    throw Error(first_picture_ + ": neither this nor any other of " +
                counted(pictures_, "picture", "pictures") + " has a label file, tried " +
                label_paths(first_picture_).front() +
                "; put labels/ beside images/ (an empty .txt says that a picture has no boxes)");
  }

 private:
  void read_folder(const YoloSource& source) {
    const PictureFinder finder(dataset_.folder, {source.place}, options_);
    const fs::path folder = fs::weakly_canonical(source.place);
    if (!finder.may_read(folder / "any")) {
      const Reject reject =
          finder.outside(dataset_.classes_from, source.place.string(), folder.string());
      throw Error(to_string(reject));
    }
    std::unordered_set<std::string> labels;
    for (const std::string& name : files_below(source.place, "")) {
      for (std::string& path : label_paths((folder / name).string()))
        labels.insert(std::move(path));
      Item item;
      item.path = (folder / name).string();
      item.name = name;
      item.where = printable((source.place / name).string(), 1000);
      item.split = source.split;
      std::string fault = is_utf8(name) ? file_fault(item.path) : "its name is not UTF-8";
      if (!fault.empty()) {
        reject_picture(set_, of_picture({item.where, fault, "replace it by a picture file"}, item),
                       0);
        continue;
      }
      read_picture(std::move(item));
    }
    reject_lone_labels(folder, labels);
  }

  // Label files of the folder that belong to none of its pictures. labels: the paths that do.
  void reject_lone_labels(const fs::path& folder, const std::unordered_set<std::string>& labels) {
    const std::vector<std::string> places = label_paths((folder / "any").string());
    for (const std::string& place : places) {
      const fs::path below = folder_of(place);
      if (!is_folder(below)) continue;
      for (const std::string& name : files_below(below, ".txt")) {
        const std::string label = (below / name).string();
        if (labels.contains(label) || fs::path(name).filename() == "classes.txt" ||
            !lone_labels_.insert(label).second)
          continue;
        reject_lone_label(label, (folder / without_extension(name)).string() + ".jpg",
                          &place != &places.back());
      }
    }
  }

  // in_labels: in a folder `labels`, where nothing else is expected; beside pictures there may be
  // lists and notes.
  void reject_lone_label(const std::string& label, const std::string& picture, bool in_labels) {
    const Expected<std::string> text = read_label_file(label);
    const std::int64_t n = text ? count_lines(*text) : 0;
    if (!in_labels &&
        (n == 0 || !parse_yolo_labels(*text, label, dataset_.classes, dataset_.classes_from)))
      return;
    const std::string what =
        "there is no picture of this name in " + printable(folder_of(picture).string(), 1000);
    refuse({.path = picture, .name = fs::path(picture).filename().string()},
           {printable(label, 1000), what, "restore the picture, or remove this label file"}, n);
  }

  void read_picture(Item item) {
    if (pictures_++ == 0) first_picture_ = item.path;
    item.normalised = true;
    const std::string label = label_of(item.path);
    if (!label.empty() && !read_boxes(label, item)) return;
    set_.boxes_found += static_cast<std::int64_t>(item.boxes.size());
    add_picture(set_, std::move(item));
  }

  bool refuse(const Item& item, Reject reject, std::int64_t boxes) {
    reject_picture(set_, of_picture(std::move(reject), item), boxes);
    return false;
  }

  bool read_boxes(const std::string& label, Item& item) {
    ++labels_found_;
    const Expected<std::string> text = read_label_file(label);
    if (!text) return refuse(item, text.reject(), 0);
    const std::int64_t n = count_lines(*text);
    if (n > options_.max_boxes)
      return refuse(item, too_many_boxes(label, n, options_.max_boxes), n);
    Expected<std::vector<LabelBox>> boxes =
        parse_yolo_labels(*text, printable(label, 1000), dataset_.classes, dataset_.classes_from);
    if (!boxes) return refuse(item, boxes.reject(), n);
    item.boxes = std::move(*boxes);
    item.where = printable(label, 1000);
    return true;
  }

  const YoloDataset& dataset_;
  const AnnotationOptions& options_;
  AnnotationSet& set_;
  std::int64_t pictures_ = 0, labels_found_ = 0;
  std::string first_picture_;
  std::unordered_set<std::string> lone_labels_;
};

Recognition recognise_folder(const Input& input) {
  if (is_there(input.path / "data.yaml")) return {true, "a folder with a data.yaml"};
  const fs::path images = is_there(input.path / "images") ? input.path / "images" : input.path;
  const std::vector<std::string> pictures = files_below(images, "");
  if (pictures.empty()) return {false, "a folder without data.yaml or pictures"};
  const std::string folder = fs::weakly_canonical(images).string();
  for (const std::string& picture : pictures) {
    const std::string label = label_of(folder + "/" + picture);
    if (!label.empty())
      return {true, "a folder of pictures; " + printable(picture) + " has its labels in " +
                        printable(label)};
  }
  return {false,
          "a folder of pictures without label files, neither beside them nor in labels/ beside "
          "images/"};
}

Recognition recognise(const Input& input, const AnnotationOptions& options) {
  if (input.is_folder) return recognise_folder(input);
  if (is_yaml(input.path)) {
    const bool fits = input.head.find("names") != std::string::npos ||
                      input.head.find("train") != std::string::npos;
    return {fits, fits ? "a YAML with names or train" : "a YAML without names and train"};
  }
  if (!input.is_text) return {false, "holds NUL bytes, wanted a data.yaml or a list of pictures"};
  const PictureFinder finder(folder_of(input.path), {folder_of(input.path)}, options);
  Lines lines(input.head);
  bool lists_pictures = false;
  for (int i = 0; i < 100 && lines.next(); ++i) {
    if (!has_picture_extension(lines.text())) continue;
    lists_pictures = true;
    const Expected<std::string> picture = finder.find(std::string(lines.text()), "");
    const std::string label = picture ? label_of(*picture) : "";
    if (!label.empty())
      return {true, "a list of pictures; line " + std::to_string(lines.number()) +
                        " has its labels in " + printable(label)};
  }
  return {false, lists_pictures ? "lists pictures, but the first have no label files, neither "
                                  "beside them nor in labels/ beside images/"
                                : "no data.yaml, and its lines are no pictures"};
}

YoloDataset dataset_of(const Input& input, const AnnotationOptions& options) {
  if (input.is_folder && is_there(input.path / "data.yaml"))
    return read_data_yaml(input.path / "data.yaml", options);
  if (!input.is_folder && is_yaml(input.path)) return read_data_yaml(input.path, options);
  YoloDataset dataset;
  dataset.classes = required_class_names(input.path, options);
  dataset.classes_from = options.classes.filename().string();
  dataset.folder = input.is_folder ? input.path : folder_of(input.path);
  const bool below = input.is_folder && is_there(input.path / "images");
  dataset.sources.push_back({below ? input.path / "images" : input.path, ""});
  return dataset;
}

void read(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  const YoloDataset dataset = dataset_of(input, options);
  set.classes = dataset.classes;
  YoloReader reader(dataset, options, set);
  for (const YoloSource& source : dataset.sources) reader.read(source);
  reader.check_labels_found();
}

}  // namespace

constinit const AnnotationFormat yolo{"yolo",
                                      "YOLO: a data.yaml, or a list or folder of pictures with "
                                      "labels/ beside images/ (these need --classes)",
                                      recognise, read};

}  // namespace letterpress::annotations
