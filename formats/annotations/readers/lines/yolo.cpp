// YOLO: a data.yaml, or a bare list or folder of pictures; for each picture a label file with the
// folder `labels` in place of `images`, or beside it (format as in
// docs.ultralytics.com/datasets/detect and pjreddie.com/darknet/yolo).
#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_set>

#include "formats/annotations/files/text.h"
#include "formats/annotations/pictures/comment_lines.h"
#include "formats/annotations/pictures/names_by_id.h"
#include "formats/annotations/pictures/picture_finder.h"
#include "formats/annotations/shared/format.h"
#include "letterpress/base/error.h"
#include "letterpress/base/picture_extension.h"
#include "yolo_dataset.h"
#include "yolo_input.h"
#include "yolo_label_finder.h"
#include "yolo_label_paths.h"
#include "yolo_labelled_splits.h"
#include "yolo_labels.h"
#include "yolo_other_labels.h"
#include "yolo_recognition.h"
#include "yolo_sets_near.h"
#include "yolo_shapes.h"
#include "yolo_split_lists.h"

namespace letterpress::annotations {
extern const AnnotationFormat yolo;
namespace {
namespace fs = std::filesystem;

class YoloReader {
 public:
  YoloReader(const FileTree& files, const YoloDataset& dataset, const AnnotationOptions& options,
             AnnotationSet& set)
      : files_(files),
        dataset_(dataset),
        options_(options),
        set_(set),
        labels_(files),
        others_(files) {}

  void read(const YoloSource& source) {
    const std::string split = source.split.empty() ? "" : source.split + ": ";
    if (source.is_labels) return read_labels(source);
    if (files_.is_folder(source.path)) return read_folder(source);
    if (has_picture_extension(source.path.native())) {
      throw Error({.where = source.path.string(),
                   .what = split + "is a picture, must be a folder or a list of pictures",
                   .fix = "name its folder"});
    }
    PictureFinder finder(files_, dataset_.folder,
                         source.is_split_list
                             ? split_list_folders(dataset_.folder)
                             : std::vector{folder_of(source.path), dataset_.folder},
                         options_);
    const std::string text = read_list_file(files_, source.path);
    Lines lines(text);
    while (lines.next()) {
      Item item;
      item.name = lines.text();
      if (comments_.passes_over(finder, item.name)) continue;
      item.where = source.path.string() + ":" + std::to_string(lines.number());
      item.split = source.split;
      const std::vector<std::string> names =
          source.is_split_list ? names_in_split_list(item.name) : std::vector{item.name};
      Expected<std::string> path = finder.find(names, item.where);
      if (!path) {
        reject_picture(set_, path.reject(), 0, source.split);
        continue;
      }
      item.path = std::move(*path);
      item.name = name_of(item.path, names);
      if (source.is_split_list) listed_.insert(item.path);
      read_picture(std::move(item));
    }
    finder.notes().add_to(set_.remarks);
  }

  // Label files whose pictures are near their folder or in a root.
  void read_labels(const YoloSource& source) {
    PictureFinder finder(files_, dataset_.folder, {source.path}, options_);
    for (const std::string& name : yolo_label_files(files_, source.path, &set_)) {
      Item item;
      item.where = printable((source.path / name).string(), 1000);
      item.split = source.split;
      const std::string id(without_extension(name));
      const std::vector<std::string> names = picture_names_by_id(id, "");
      Expected<std::string> path = finder.find(names, item.where);
      if (!path) {
        const Expected<std::string> text = read_label_file(files_, source.path / name);
        reject_picture(set_, path.reject(), text ? count_lines(*text) : 0, source.split);
        continue;
      }
      item.path = std::move(*path);
      item.name = name_of(item.path, names);
      const std::size_t before = set_.items.size();
      read_picture(std::move(item), (source.path / name).string());
      if (source.split.empty()) note_label_folder(set_, before, name);
    }
    finder.notes().add_to(set_.remarks);
  }

  void finish() {
    shapes_.settle(files_, dataset_, set_);
    set_.remarks.insert(set_.remarks.end(), dataset_.remarks.begin(), dataset_.remarks.end());
    comments_.add_to(set_.remarks);
    shapes_.add_to(set_.remarks);
    labels_.add_to(set_.remarks);
    others_.add_to(set_.remarks);
    if (twins_ > 0)
      set_.remarks.push_back(counted(twins_, "picture has", "pictures have") +
                             " the label file of another whose name differs in its extension "
                             "alone, the first " +
                             first_twin_ + ": each gets the boxes");
    if (set_.unlabelled > 0)
      set_.remarks.push_back("pictures without a box: no label file " +
                             std::to_string(set_.unlabelled) + ", empty " + std::to_string(empty_));
    splits_.check(labels_, set_);
  }

 private:
  void read_folder(const YoloSource& source) {
    const PictureFinder finder(files_, dataset_.folder, {source.path}, options_);
    const std::vector<fs::path> bases = yolo_bases(files_, source.path);
    const fs::path& folder = bases.back();
    if (!finder.may_read(bases.front() / "any"))
      throw Error(finder.outside(dataset_.classes_from, source.path.string(), folder.string()));
    std::unordered_set<std::string> labels;
    std::set<std::string> folders;  // that these lie in
    for (const std::string& name : files_.files_below(source.path, "", &set_)) {
      std::vector<std::string> own;
      for (const fs::path& base : bases)
        std::ranges::move(yolo_label_paths((base / name).string()), std::back_inserter(own));
      const bool is_twin = labels.contains(own.front());
      labels.insert(own.begin(), own.end());
      if (listed_.contains((folder / name).string())) continue;
      splits_.see(source.split, (bases.front() / name).string());
      Item item;
      item.path = (folder / name).string();
      item.name = name;
      item.where = printable((source.path / name).string(), 1000);
      item.split = source.split;
      if (const auto fault = picture_fault(files_, item.path, name)) {
        reject_picture(set_, of_picture({item.where, fault->what, fault->fix}, item), 0,
                       source.split);
        continue;
      }
      const std::string label = labels_.find(bases, name);
      if (const auto fault = others_.look(own, label)) {
        refuse(item, {item.where, fault->what, fault->fix}, 0);
        continue;
      }
      if (!label.empty()) {
        labels.insert(with_ending(label, ".txt"));
        folders.insert(folder_of(label).string());
      }
      if (is_twin && !label.empty() && twins_++ == 0) first_twin_ = item.where;
      read_picture(std::move(item), label);
    }
    for (const fs::path& base : bases) {
      for (const std::string& below : label_folders_of(base, folders))
        reject_lone_labels(base, below, source.split, labels);
    }
  }

  // Where label files of a folder of pictures may be: as yolo_label_paths() has them, and of
  // `others` those that lie elsewhere.
  static std::vector<std::string> label_folders_of(const fs::path& base,
                                                   const std::set<std::string>& others) {
    std::vector<std::string> folders;
    for (const std::string& path : yolo_label_paths((base / "any").string()))
      folders.push_back(folder_of(path).string());
    for (const std::string& other : others) {
      const bool is_known = std::ranges::any_of(folders, [&](const std::string& folder) {
        return other == folder || other.starts_with(folder + "/");
      });
      if (!is_known) folders.push_back(other);
    }
    return folders;
  }

  // Rejects label files in `below` that belong to none of the pictures in `folder`. labels: those
  // that do.
  void reject_lone_labels(const fs::path& folder, const fs::path& below, const std::string& split,
                          const std::unordered_set<std::string>& labels) {
    if (!files_.is_folder(below)) return;
    const fs::path real = fs::weakly_canonical(below);
    for (const std::string& name : files_.files_below(below, ".txt", &set_)) {
      const std::string label = (below / name).string();
      if (labels.contains(with_ending(label, ".txt")) || is_class_list(name) ||
          !lone_labels_.insert((real / name).string()).second)
        continue;
      const fs::path picture = (folder / without_extension(name)).string() + ".jpg";
      reject_lone_label(
          label, {.path = picture.string(), .name = picture.filename().string(), .split = split},
          below != folder_of(folder / "any"));
    }
  }

  // in_labels: in a folder `labels`, which holds nothing else; beside pictures there may be lists
  // and notes.
  void reject_lone_label(const std::string& label, const Item& picture, bool in_labels) {
    const Expected<std::string> text = read_label_file(files_, label);
    const std::int64_t n = text ? count_lines(*text) : 0;
    if (!in_labels && (n == 0 || !parse_yolo_labels(*text, label, dataset_))) return;
    const std::string what =
        "there is no picture of this name in " + printable(folder_of(picture.path).string(), 1000);
    refuse(picture,
           {printable(label, 1000), what, "restore the picture, or remove this label file"}, n);
  }

  void read_picture(Item item) {
    const std::string label = labels_.find(item.path);
    if (const auto fault = others_.look(yolo_label_paths(item.path), label)) {
      refuse(item, {item.where, fault->what, fault->fix}, 0);
      return;
    }
    read_picture(std::move(item), label);
  }

  // label: its label file; empty: it has none.
  void read_picture(Item item, const std::string& label) {
    splits_.see(item.split, item.path);
    splits_.count(item.split, !label.empty());
    item.normalised = true;
    if (label.empty()) ++set_.unlabelled;
    if (!label.empty() && !read_boxes(label, item)) return;
    empty_ += !label.empty() && item.boxes.empty();
    set_.boxes_found += static_cast<std::int64_t>(item.boxes.size());
    add_picture(set_, std::move(item));
  }

  bool refuse(const Item& item, Reject reject, std::int64_t boxes) {
    reject_picture(set_, of_picture(std::move(reject), item), boxes, item.split);
    return false;
  }

  bool read_boxes(const std::string& label, Item& item) {
    const Expected<std::string> text = read_label_file(files_, label);
    if (!text) return refuse(item, text.reject(), 0);
    const std::int64_t n = count_lines(*text);
    if (n > options_.max_boxes)
      return refuse(item, too_many_boxes(label, n, options_.max_boxes), n);
    Expected<YoloLabels> labels = parse_yolo_labels(*text, printable(label, 1000), dataset_);
    if (!labels) return refuse(item, labels.reject(), n);
    item.boxes = std::move(labels->boxes);
    shapes_.add(*labels, set_.items.size(), label);
    item.where = printable(label, 1000);
    return true;
  }

  FileTree files_;
  const YoloDataset& dataset_;
  const AnnotationOptions& options_;
  AnnotationSet& set_;
  std::int64_t empty_ = 0;
  YoloLabelledSplits splits_;
  CommentLines comments_;
  YoloShapes shapes_;
  YoloLabelFinder labels_;
  OtherLabels others_;
  std::int64_t twins_ = 0;  ///< pictures with the label file of another
  std::string first_twin_;
  std::unordered_set<std::string> lone_labels_, listed_;  ///< listed_: pictures of split lists
};

void read_yolo(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  const YoloDataset dataset = yolo_dataset_of(input, options);
  set.classes = dataset.classes;
  set.classes_by_place = true;
  YoloReader reader(input.files, dataset, options, set);
  for (const YoloSource& source : dataset.sources) reader.read(source);
  reader.finish();
  note_folders_not_read(input.files, dataset.beside, set);
}

}  // namespace

constinit const AnnotationFormat yolo{"yolo",
                                      "YOLO: a data.yaml, Darknet's obj.data, or a list or folder "
                                      "of pictures with labels/ beside images/ (these need "
                                      "--classes)",
                                      recognise_yolo, read_yolo};

}  // namespace letterpress::annotations
