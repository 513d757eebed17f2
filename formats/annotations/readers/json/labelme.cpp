// LabelMe: one JSON per picture (github.com/wkentaro/labelme). Rectangles, and polygons by their
// bounding box.
#include <algorithm>
#include <map>
#include <set>

#include "formats/annotations/files/text.h"
#include "formats/annotations/pictures/picture_finder.h"
#include "formats/annotations/shared/class_names.h"
#include "formats/annotations/shared/format.h"
#include "labelme_document.h"

namespace letterpress::annotations {
extern const AnnotationFormat labelme;
namespace {
namespace fs = std::filesystem;

class LabelMeReader {
 public:
  LabelMeReader(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : files_(input.files), folder_(input.folder()), options_(options), set_(set) {}

  void read_picture(const std::string& file) {
    const fs::path path = folder_ / file;
    const std::string where = printable(path.string(), 1000);
    const Expected<std::string> text = read_label_file(files_, path);
    if (!text) return reject_picture(set_, text.reject(), 0);
    std::int64_t n = 0;
    Expected<LabelMePicture> picture = parse_labelme(*text, where, n);
    if (!picture) return reject_picture(set_, picture.reject(), n);
    // imagePath starts from the JSON's own folder; Windows writes it with backslashes.
    std::vector<std::string> names{picture->image_path, picture->image_path};
    std::replace(names[1].begin(), names[1].end(), '\\', '/');
    PictureFinder& finder =
        finders_
            .try_emplace(folder_of(path), files_, folder_, std::vector{folder_of(path)}, options_)
            .first->second;
    if (n > options_.max_boxes) {
      return reject_picture(
          set_, finder.of_picture(too_many_boxes(where, n, options_.max_boxes), names), n);
    }
    Expected<std::string> found = finder.find(names, where);
    if (!found) return reject_picture(set_, found.reject(), n);
    Item item;
    item.path = std::move(*found);
    item.name = names[1];
    item.where = where;
    item.width = picture->width;
    item.height = picture->height;
    item.boxes = std::move(picture->boxes);
    if (!picture->flag.empty() && flagged_++ == 0) first_flag_ = picture->flag;
    set_.boxes_found += n;
    for (Reject& reject : picture->box_rejects) set_.rejects.push_back(std::move(reject));
    set_.boxes_rejected += n - static_cast<std::int64_t>(item.boxes.size());
    names_.push_back(std::move(picture->class_names));
    add_picture(set_, std::move(item));
  }

  void add_remarks() {
    FindNotes notes;
    for (const auto& [folder, finder] : finders_) notes.add(finder.notes());
    notes.add_to(set_.remarks);
    if (flagged_ == 0) return;
    set_.remarks.push_back(counted(flagged_, "picture has", "pictures have") +
                           " classification flags, the first " + in_quotes(first_flag_) +
                           ", which are not read; shapes are");
  }

  // Ids by name, or the order of --classes, which rejects pictures with another.
  void set_classes() {
    set_.lists_classes = !options_.classes.empty();
    if (!options_.classes.empty()) {
      set_.classes = read_class_names(files_, options_.classes);
    } else {
      std::set<std::string> sorted;
      for (const auto& names : names_) sorted.insert(names.begin(), names.end());
      set_.classes.assign(sorted.begin(), sorted.end());
    }
    name_boxes(set_, names_);
  }

 private:
  FileTree files_;
  fs::path folder_;
  const AnnotationOptions& options_;
  AnnotationSet& set_;
  std::map<fs::path, PictureFinder> finders_;    // by the folder of the JSON
  std::vector<std::vector<std::string>> names_;  // per item, per box
  std::int64_t flagged_ = 0;
  std::string first_flag_;
};

bool is_labelme(const FileTree& files, const fs::path& path) {
  if (!files.file_fault(path.string()).empty()) return false;
  const std::string text = files.read_text(path);
  return text.find("\"shapes\"") != std::string::npos &&
         text.find("\"imagePath\"") != std::string::npos;
}

Recognition recognise(const Input& input, const AnnotationOptions&) {
  const bool json = input.path.extension() == ".json";
  if (!input.is_folder && !json)
    return {false, "its name does not end in .json; must be such a file or a folder of them"};
  std::string name = input.path.filename().string();
  if (input.is_folder) {
    const std::vector<std::string> files = input.files.files_below(input.path, ".json");
    if (files.empty()) return {false, "a folder without .json files"};
    name = files.front();
  }
  const bool fits = is_labelme(input.files, input.is_folder ? input.path / name : input.path);
  return {fits, printable(name) + (fits ? " has \"shapes\" and \"imagePath\""
                                        : " lacks \"shapes\" or \"imagePath\"")};
}

void read(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  LabelMeReader reader(input, options, set);
  if (input.is_folder) {
    for (const std::string& file : input.files.files_below(input.path, ".json", &set.passed_over))
      reader.read_picture(file);
  } else {
    reader.read_picture(input.path.filename().string());
  }
  reader.set_classes();
  reader.add_remarks();
}

}  // namespace

constinit const AnnotationFormat labelme{
    "labelme", "LabelMe: a folder of JSONs or one; rectangles, and polygons by their bounding box",
    recognise, read};

}  // namespace letterpress::annotations
