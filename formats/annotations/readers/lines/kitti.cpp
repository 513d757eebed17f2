// KITTI object detection: label_2/1.txt beside image_2/1.png, an object a line: type, truncated,
// occluded, alpha, left, top, right, bottom, and seven numbers in space or nine with a score
// (cvlibs.net/datasets/kitti, devkit's readme.txt).
#include <array>

#include "formats/annotations/files/disk_walk.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/pictures/names_by_id.h"
#include "formats/annotations/shared/format.h"
#include "formats/annotations/shared/stated_pictures.h"
#include "kitti_line.h"
#include "letterpress/base/error.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
extern const AnnotationFormat kitti;
namespace {
namespace fs = std::filesystem;

constexpr std::size_t kLeft = 4;

// Whether one of the folder's first label files begins as KITTI's do; others may be damaged.
bool holds_kitti(const FileTree& files, const fs::path& folder) {
  int looks = 20;
  for (const std::string& name : files.names_in(folder)) {
    if (!matches(name, ".txt") || is_left_by_a_system(name)) continue;
    const Expected<std::string> text = read_label_file(files, folder / name);
    Lines lines(text ? std::string_view(*text) : std::string_view());
    if (!lines.next()) continue;
    if (is_of_kitti(kitti_fields(lines.text()))) return true;
    if (--looks == 0) break;
  }
  return false;
}

// The folder of labels that an input means; empty: none.
fs::path labels_in(const Input& input) {
  if (!input.is_folder) return {};
  for (const char* folder : {"", "label_2", "training/label_2", "labels"}) {
    const fs::path path = *folder ? input.path / folder : input.path;
    if (input.files.is_folder(path) && holds_kitti(input.files, path)) return path;
  }
  return {};
}

class KittiReader {
 public:
  KittiReader(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : input_(input), set_(set), pictures_(input, options, set) {}

  void read_picture(const fs::path& labels, const std::string& file) {
    const fs::path path = labels / file;
    StatedPicture picture{.names = picture_names_by_id(std::string(without_extension(file)), ""),
                          .folder = pictures_beside(labels),
                          .where = printable(path.string(), 1000)};
    const Expected<std::string> text = read_label_file(input_.files, path);
    if (!text) picture.fault = Message{.what = text.reject().what, .fix = text.reject().fix};
    for (Lines lines(text ? std::string_view(*text) : std::string_view()); lines.next();)
      add(lines, picture);
    pictures_.add(std::move(picture));
  }

  void finish() {
    if (ignored_ > 0)
      set_.remarks.push_back(counted(ignored_, "region is", "regions are") +
                             " DontCare, which is not an object and is ignored");
    pictures_.finish();
  }

 private:
  fs::path pictures_beside(const fs::path& labels) const {
    const fs::path beside = folder_of(labels) / "image_2";
    return input_.files.is_folder(beside) ? beside : labels;
  }

  void add(const Lines& lines, StatedPicture& picture) {
    const std::vector<std::string_view> fields = kitti_fields(lines.text());
    if (const auto fault = kitti_fault(fields)) {
      picture.fault = Message{.what = "line " + std::to_string(lines.number()) + " " + fault->what,
                              .fix = fault->fix};
      picture.boxes.push_back({.class_name = "?"});
      return;
    }
    if (fields[0] == "DontCare") {
      ++ignored_;
      return;
    }
    LabelBox box;
    std::array<float*, 4> sides{&box.x1, &box.y1, &box.x2, &box.y2};
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const Coordinate side = parse_coordinate(fields[kLeft + i]);
      if (!side.fault.empty() && !picture.fault)
        picture.fault =
            Message{.what = "line " + std::to_string(lines.number()) + ": " + side.fault,
                    .fix = "correct this line"};
      *sides[i] = static_cast<float>(side.value);
    }
    picture.boxes.push_back({box, std::string(fields[0])});
  }

  const Input& input_;
  AnnotationSet& set_;
  StatedPictures pictures_;
  std::int64_t ignored_ = 0;
};

Recognition recognise_kitti(const Input& input, const AnnotationOptions&) {
  const fs::path labels = labels_in(input);
  return {!labels.empty(), labels.empty() ? "not a folder of KITTI's lines of 15 fields, nor one "
                                            "with label_2"
                                          : "lines of 15 fields in " + printable(labels.string())};
}

void read_kitti(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  const fs::path labels = labels_in(input);
  if (labels.empty())
    throw Error({.where = input.path.string(),
                 .what = "holds no label_2 with KITTI's lines of 15 fields",
                 .fix = "name the folder that has label_2 and image_2"},
                Exit::usage);
  KittiReader reader(input, options, set);
  for (const std::string& file : input.files.files_below(labels, ".txt", &set))
    reader.read_picture(labels, file);
  reader.finish();
}

}  // namespace

constinit const AnnotationFormat kitti{
    "kitti", "KITTI: label_2 beside image_2; DontCare regions are counted and ignored",
    recognise_kitti, read_kitti};

}  // namespace letterpress::annotations
