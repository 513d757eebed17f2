// Class folders (classification): a folder per class with its pictures, maybe below train, val and
// test. The layout of ImageNet's and many other published sets (pytorch.org/vision, ImageFolder).
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "class_folders.h"
#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/pictures/picture_finder.h"
#include "formats/annotations/shared/class_names.h"
#include "formats/annotations/shared/format.h"
#include "letterpress/base/error.h"
#include "letterpress/base/picture_extension.h"
#include "letterpress/base/shell_word.h"
#include "unread_labels.h"

namespace letterpress::annotations {
extern const AnnotationFormat folder;
namespace {
namespace fs = std::filesystem;

std::string first_few(const std::set<std::string>& names) {
  std::string text;
  int n = 0;
  for (const std::string& name : names) {
    if (n == 3) return text + ", ...";
    text += (n++ ? ", " : "") + printable(name, 40);
  }
  return text;
}

// Whether there are folders in its class folder: "train/cat/1.jpg" of class train.
bool is_nested(const Placed& picture) {
  return picture.name.find('/', picture.folder.size() + 1) != std::string::npos;
}

// Folders that belong to detection sets.
bool is_of_a_detection_set(std::string_view name) {
  constexpr std::array<std::string_view, 6> known{"images",      "Images",      "labels",
                                                  "annotations", "Annotations", "JPEGImages"};
  return std::find(known.begin(), known.end(), name) != known.end();
}

// Why a class folder, or the first picture in it, is none of a set of classes; empty: it may be.
std::string fault_of_class(const Input& input, const Placed& picture) {
  if (is_of_a_detection_set(picture.class_name))
    return "a folder " + picture.class_name + " belongs to a detection set" +
           (picture.folder == picture.class_name ? "" : ": " + printable(picture.folder));
  for (const char* labels : {"annotations", "labels", "labelTxt"}) {
    if (input.files.is_folder(input.path / picture.folder / labels))
      return "folder " + printable(picture.folder) + " holds " + labels +
             " beside its pictures, as detection sets do";
  }
  const fs::path above = fs::path(picture.folder).parent_path();
  const bool is_in_pictures = is_of_a_detection_set(above.filename().string());
  for (const char* labels : {"annotations", "Annotations", "labels", "labelTxt"}) {
    if (is_in_pictures && input.files.is_folder(input.path / above.parent_path() / labels))
      return "folder " + printable(above.string()) + " has " + labels +
             " beside it, as detection sets do";
  }
  const fs::path path = picture.name;
  if (input.files.exists(input.path / path.parent_path().parent_path() / "ann" /
                         (path.filename().string() + ".json")))
    return "picture " + printable(picture.name) + " has a label file in ann/";
  for (const char* extension : {".txt", ".xml", ".json"}) {
    const std::string label = std::string(without_extension(picture.name)) + extension;
    if (input.files.exists(input.path / label))
      return "picture " + printable(picture.name) + " has a label file beside it";
  }
  return {};
}

// Folders of classes by what their names and what is in them say.
struct ClassFolders {
  std::set<std::string> classes{};
  std::map<std::string, std::string> split_folders{};  // folder -> split: these hold folders
  std::map<std::string, std::string> with_classes{};   // folder -> split: these hold classes
  std::string without_classes{};                       // the first split that holds pictures alone
  std::string fault{};                                 // of the first that has one
};

ClassFolders class_folders_of(const Input& input, const std::vector<Placed>& pictures) {
  ClassFolders found;
  for (const Placed& picture : pictures) {
    const std::string split = picture.split.empty() ? split_in(picture.class_name) : "";
    if (!split.empty() && is_nested(picture)) found.split_folders.emplace(picture.folder, split);
    if (!picture.split.empty() && !picture.class_name.empty())
      found.with_classes.emplace(fs::path(picture.folder).parent_path(), picture.split);
    if (!found.fault.empty()) continue;
    if (picture.class_name.empty()) {
      if (!picture.split.empty()) found.without_classes = fs::path(picture.name).parent_path();
      found.fault = "picture " + printable(picture.name) + " is not in a class folder";
    } else if (found.classes.insert(picture.class_name).second) {
      found.fault = fault_of_class(input, picture);
    }
  }
  return found;
}

// " --input set/train --val set/val" names the splits that folders are called after; empty: none of
// them is train.
std::string flags_of(const Input& input, const std::map<std::string, std::string>& folders) {
  std::string trains, others;
  for (const auto& [folder, split] : folders) {
    const std::string path = shell_word((input.path / folder).string());
    if (split == "train") trains += " --input " + path;
    if (split == "val") others += " --val " + path;
    if (split == "test") others += " --split test=" + path;
  }
  return trains.empty() ? "" : trains + others;
}

// Folders that are called after splits and hold folders, which is what the splits of a set do.
Recognition unclear_splits(const Input& input, const ClassFolders& found) {
  std::set<std::string> names;
  for (const auto& [folder, split] : found.split_folders) names.insert(fs::path(folder).filename());
  const auto other = std::ranges::find_if(
      found.classes, [&](const std::string& name) { return !names.contains(name); });
  const bool one = names.size() == 1;
  std::string why = std::string(one ? "folder " : "folders ") + first_few(names) +
                    (one ? " holds folders and is called after a split, "
                         : " hold folders and are called after splits, ");
  if (other == found.classes.end()) {
    why += "but they do not hold the same class folders; ";
  } else {
    why += printable(*other, 40) + " beside " + (one ? "it" : "them") + " is not; " +
           (one ? "move it away, or " : "move it into one of them, or ");
  }
  const std::string flags = flags_of(input, found.split_folders);
  return {false,
          why + "give --format folder if all of them are classes" +
              (flags.empty() ? "" : ", or" + flags + " if they are splits"),
          true};
}

// Beside splits that hold class folders one holds pictures alone, as Kaggle's test does.
Recognition split_without_classes(const Input& input, const ClassFolders& found) {
  std::map<std::string, std::string> others = found.with_classes;
  others.erase(found.without_classes);
  const std::string flags = flags_of(input, others);
  return {false,
          found.fault + ", and other splits have class folders; sort those of " +
              printable(found.without_classes) + " into class folders" +
              (flags.empty() ? "" : ", or leave them out:" + flags),
          true};
}

// Of folders that hold pictures alone: steam_train beside tram.
std::string note_on_names(const std::set<std::string>& classes) {
  std::set<std::string> called;
  for (const std::string& name : classes) {
    if (!split_in(name).empty()) called.insert(name);
  }
  if (called.empty()) return {};
  return "; called after a split: " + first_few(called) + ", move away what is no class";
}

Recognition recognise_folder(const Input& input, const AnnotationOptions&) {
  if (!input.is_folder) return {false, "a file, must be a folder of class folders"};
  const std::vector<Placed> pictures =
      placed_in_class_folders(input.files.files_below(input.path, ""));
  if (pictures.empty()) return {false, "a folder without pictures"};
  const ClassFolders found = class_folders_of(input, pictures);
  if (!found.without_classes.empty() && !found.with_classes.empty())
    return split_without_classes(input, found);
  if (!found.fault.empty()) return {false, found.fault};
  const std::set<std::string>& classes = found.classes;
  if (classes.size() < 2)
    return {false, "one folder of pictures only, " + first_few(classes) +
                       "; if it is a class, give --format folder"};
  if (!found.split_folders.empty()) return unclear_splits(input, found);
  std::set<std::string> splits;
  for (const std::string& name : classes) splits.insert(split_in(name));
  if (std::ranges::all_of(classes, is_named_by_splits_and_pictures) ||
      (splits.size() > 1 && !splits.contains("")))
    return {false, "folders of pictures are called " + first_few(classes) +
                       "; if these are classes, give --format folder"};
  return {true, std::to_string(classes.size()) + " folders of pictures, named by their classes: " +
                    first_few(classes) + note_on_names(classes)};
}

class FolderReader {
 public:
  FolderReader(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : files_(input.files),
        shown_(input.path),
        folder_(fs::weakly_canonical(input.path)),
        classes_file_(options.classes.string()),
        set_(set) {}

  void read(const std::vector<Placed>& pictures, const AnnotationOptions& options) {
    set_classes(pictures, options);
    for (const Placed& picture : pictures) read_picture(picture);
  }

 private:
  // Sorted by name, or the order of --classes.
  void set_classes(const std::vector<Placed>& pictures, const AnnotationOptions& options) {
    set_.lists_classes = !options.classes.empty();
    if (!options.classes.empty()) {
      set_.classes = read_class_names(files_, options.classes);
    } else {
      std::set<std::string> names;
      for (const Placed& picture : pictures) {
        if (!picture.class_name.empty() && !class_name_fault(picture.class_name))
          names.insert(picture.class_name);
      }
      set_.classes.assign(names.begin(), names.end());
    }
    for (std::size_t i = 0; i < set_.classes.size(); ++i)
      ids_.emplace(set_.classes[i], static_cast<std::int32_t>(i));
  }

  void read_picture(const Placed& picture) {
    Item item;
    item.path = (folder_ / picture.name).string();
    item.name = picture.name;
    item.where = printable((shown_ / picture.name).string(), 1000);
    item.split = picture.split;
    if (const auto fault = picture_fault(files_, item.path, picture.name))
      return refuse(item, fault->what, fault->fix);
    if (picture.class_name.empty())
      return refuse(item, "is not in a class folder", "move it into the folder of its class");
    if (const auto name_fault = class_name_fault(picture.class_name))
      return refuse(item, "class " + in_quotes(picture.class_name) + " " + name_fault->what,
                    "rename its folder");
    const auto id = ids_.find(picture.class_name);
    if (id == ids_.end()) {
      const std::string what =
          "class " + in_quotes(picture.class_name) + " is not in " + classes_file_;
      return refuse(item, what, "add it to --classes or rename the folder");
    }
    item.label = id->second;
    add_picture(set_, std::move(item));
  }

  void refuse(const Item& item, const std::string& what, const std::string& fix) {
    reject_picture(set_, of_picture({item.where, what, fix}, item), 0);
  }

  FileTree files_;
  fs::path shown_, folder_;
  std::string classes_file_;
  AnnotationSet& set_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

void read_folder(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  if (!input.is_folder)
    throw Error({.where = input.path.string(),
                 .what = "is a file",
                 .fix = "name the folder or archive that holds the class folders"},
                Exit::usage);
  const std::vector<Placed> pictures =
      placed_in_class_folders(input.files.files_below(input.path, "", &set));
  const ClassFolders found = class_folders_of(input, pictures);
  std::set<std::string> splits;
  for (const auto& [path, split] : found.split_folders) splits.insert(path);
  if (!splits.empty())
    set.remarks.push_back("read as classes, though called after splits: " + first_few(splits) +
                          "; folders in them say nothing");
  if (std::string remark = remark_on_unread_labels(input, pictures, options.classes);
      !remark.empty())
    set.remarks.push_back(std::move(remark));
  FolderReader(input, options, set).read(pictures, options);
}

}  // namespace

constinit const AnnotationFormat folder{
    "folder",
    "class folders: a folder of pictures per class, maybe below train, val and test (no boxes)",
    recognise_folder, read_folder};

}  // namespace letterpress::annotations
