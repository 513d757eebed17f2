// LabelMe: one JSON per picture (github.com/wkentaro/labelme). Rectangles, and circles, polygons,
// masks and oriented rectangles by the box around them.
#include "formats/annotations/files/disk_walk.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/format.h"
#include "formats/annotations/shared/stated_pictures.h"
#include "labelme_document.h"

namespace letterpress::annotations {
extern const AnnotationFormat labelme;
namespace {
namespace fs = std::filesystem;

class LabelMeReader {
 public:
  LabelMeReader(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : input_(input), set_(set), pictures_(input, options, set) {}

  void read_picture(const std::string& file) {
    const fs::path path = input_.folder() / file;
    const std::string where = printable(path.string(), 1000);
    const Expected<std::string> text = read_label_file(input_.files, path);
    if (!text) return reject_picture(set_, text.reject(), 0);
    LabelMePicture read = parse_labelme(*text, where);
    // imagePath starts from the JSON's own folder.
    read.picture.folder = folder_of(path);
    if (!read.picture.fault) {
      around_.shapes += read.outlines;
      grouped_ += read.groups;
      if (!read.flag.empty() && flagged_++ == 0) first_flag_ = read.flag;
    }
    const std::size_t before = set_.items.size();
    pictures_.add(std::move(read.picture));
    if (input_.is_folder) note_label_folder(set_, before, file);
  }

  void finish() {
    pictures_.finish();
    around_.add_to(set_.remarks);
    if (grouped_ > 0)
      set_.remarks.push_back(counted(grouped_, "object of several shapes with one group_id is",
                                     "objects of several shapes with one group_id are") +
                             " read as one box each");
    if (flagged_ == 0) return;
    set_.remarks.push_back(counted(flagged_, "picture has", "pictures have") +
                           " classification flags, the first " + in_quotes(first_flag_) +
                           ", which are not read; shapes are");
  }

 private:
  const Input& input_;
  AnnotationSet& set_;
  StatedPictures pictures_;
  AroundCounts around_;
  std::int64_t flagged_ = 0, grouped_ = 0;
  std::string first_flag_;
};

bool is_labelme(std::string_view text) {
  return text.find("\"shapes\"") != std::string::npos &&
         text.find("\"imagePath\"") != std::string::npos;
}

bool is_labelme(const FileTree& files, const fs::path& path) {
  return files.file_fault(path.string()).empty() && is_labelme(files.read_text(path));
}

Recognition recognise_labelme(const Input& input, const AnnotationOptions&) {
  const bool json = matches(input.path.filename().string(), ".json");
  if (!input.is_folder && !json)
    return {false, "its name does not end in .json; must be such a file or a folder of them"};
  std::string name = input.path.filename().string();
  if (input.is_folder) {
    const std::vector<std::string> files = input.files.files_below(input.path, ".json");
    if (files.empty()) return {false, "a folder without .json files"};
    name = files.front();
  }
  const bool fits = is_labelme(input.head) ||  // imageData makes files big, and comes last
                    is_labelme(input.files, input.is_folder ? input.path / name : input.path);
  return {.fits = fits,
          .why = printable(name) + (fits ? " has \"shapes\" and \"imagePath\""
                                         : " lacks \"shapes\" or \"imagePath\""),
          .rivals = Rivals::all};
}

void read_labelme(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  LabelMeReader reader(input, options, set);
  if (input.is_folder) {
    for (const std::string& file : input.files.files_below(input.path, ".json", &set))
      reader.read_picture(file);
  } else {
    reader.read_picture(input.path.filename().string());
  }
  reader.finish();
}

}  // namespace

constinit const AnnotationFormat labelme{
    "labelme", "LabelMe: a folder of JSONs or one; shapes by the box around them",
    recognise_labelme, read_labelme};

}  // namespace letterpress::annotations
