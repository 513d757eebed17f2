// Class folders (classification): a folder per class with its pictures, maybe below train, val and
// test. The layout of ImageNet's and many other published sets (pytorch.org/vision, ImageFolder).
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/pictures/picture_finder.h"
#include "formats/annotations/shared/class_names.h"
#include "formats/annotations/shared/format.h"
#include "letterpress/base/error.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
extern const AnnotationFormat folder;
namespace {
namespace fs = std::filesystem;

std::string_view top_of(std::string_view name) { return name.substr(0, name.find('/')); }

// One picture: "train/cat/a/1.jpg" -> split train, class cat. class_name is empty when it is not in
// a class folder.
struct Placed {
  std::string name, split, class_name;
};

// Folders around all pictures are left out, up to the class folders or the splits.
std::string wrapper_of(const std::vector<std::string>& names) {
  std::string wrapper;
  for (;;) {
    const std::string_view top = top_of(std::string_view(names.front()).substr(wrapper.size()));
    const std::string prefix = wrapper + std::string(top) + "/";
    const bool around_all =
        split_of_word(top).empty() &&
        std::all_of(names.begin(), names.end(), [&](const std::string& name) {
          return name.starts_with(prefix) && name.find('/', prefix.size()) != std::string::npos;
        });
    if (!around_all) return wrapper;
    wrapper = prefix;
  }
}

std::vector<Placed> place(const std::vector<std::string>& names) {
  std::vector<Placed> placed;
  if (names.empty()) return placed;
  const std::size_t start = wrapper_of(names).size();
  const bool by_split = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return !split_of_word(top_of(std::string_view(name).substr(start))).empty();
  });
  for (const std::string& name : names) {
    std::string_view rest = std::string_view(name).substr(start);
    Placed one{name, {}, {}};
    if (by_split) one.split = split_of_word(take_until(rest, '/'));
    if (rest.find('/') != std::string_view::npos) one.class_name = top_of(rest);
    placed.push_back(std::move(one));
  }
  return placed;
}

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
  return fs::path(picture.name).parent_path().filename() != picture.class_name;
}

std::string first_other(const std::set<std::string>& names) {
  const auto other = std::ranges::find_if(
      names, [](const std::string& name) { return split_of_word(name).empty(); });
  return other == names.end() ? "another" : printable(*other, 40);
}

// Folders that belong to detection sets.
bool is_of_a_detection_set(std::string_view name) {
  constexpr std::array<std::string_view, 4> known{"images", "labels", "Annotations", "JPEGImages"};
  return std::find(known.begin(), known.end(), name) != known.end();
}

Recognition recognise_folder(const Input& input, const AnnotationOptions&) {
  if (!input.is_folder) return {false, "a file, must be a folder of class folders"};
  const std::vector<Placed> pictures = place(input.files.files_below(input.path, ""));
  if (pictures.empty()) return {false, "a folder without pictures"};
  std::set<std::string> classes, splits;
  for (const Placed& picture : pictures) {
    if (picture.split.empty() && !split_of_word(picture.class_name).empty() && is_nested(picture))
      splits.insert(picture.class_name);
    if (picture.class_name.empty())
      return {false, "picture " + printable(picture.name) + " is not in a class folder"};
    if (!classes.insert(picture.class_name).second) continue;
    if (is_of_a_detection_set(picture.class_name))
      return {false, "a folder " + picture.class_name + " belongs to a detection set"};
    const fs::path path = picture.name;
    if (input.files.exists(input.path / path.parent_path().parent_path() / "ann" /
                           (path.filename().string() + ".json")))
      return {false, "picture " + printable(picture.name) + " has a label file in ann/"};
    for (const char* extension : {".txt", ".xml", ".json"}) {
      const std::string label = std::string(without_extension(picture.name)) + extension;
      if (input.files.exists(input.path / label))
        return {false, "picture " + printable(picture.name) + " has a label file beside it"};
    }
  }
  if (classes.size() < 2)
    return {false, "one folder of pictures only, " + first_few(classes) +
                       "; if it is a class, give --format folder"};
  if (splits.size() > 1)
    return {false, "folders " + first_few(splits) + " hold folders and are called after splits, " +
                       first_other(classes) +
                       " beside them is not; move it into one of them, or "
                       "give --format folder if all of them are classes"};
  if (std::ranges::all_of(classes, is_named_by_splits_and_pictures))
    return {false, "folders of pictures are called " + first_few(classes) +
                       "; if these are classes, give --format folder"};
  return {true, std::to_string(classes.size()) +
                    " folders of pictures, named by their classes: " + first_few(classes)};
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
  FolderReader(input, options, set)
      .read(place(input.files.files_below(input.path, "", &set.passed_over)), options);
}

}  // namespace

constinit const AnnotationFormat folder{
    "folder",
    "class folders: a folder of pictures per class, maybe below train, val and test (no boxes)",
    recognise_folder, read_folder};

}  // namespace letterpress::annotations
