// Exports that other programs wrote, by tests/golden/annotations/make_exports.py.
#include "exports.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

// The same three pictures in each export.
std::vector<NamedPicture> pictures_in(const std::string& folder, const std::string& prefix = "") {
  return {{folder + prefix + "a.jpg", {{"bolt", 10, 20, 40, 60}}},
          {folder + prefix + "b.jpg", {{"nut", 5, 6, 25, 36}, {"bolt", 50, 10, 70, 40}}},
          {folder + prefix + "c.jpg", {}}};
}

struct Export {
  std::string folder, input, format;
  std::string pictures;     ///< where the tool puts them, from `folder`
  std::string prefix = {};  ///< of their names
  bool lists_empty = true;  ///< whether the picture without a box is in the export
};

}  // namespace

TEST_CASE("what other programs export goes in at once, with its pictures where they put them") {
  const std::vector<Export> exports{
      {"cvat", "train.xml", "cvat", "images/"},
      {"kitti", "train", "kitti", "train/image_2/", "", false},
      {"open_images", "annotations/train-annotations-bbox.csv", "open-images", "images/train/", "",
       false},
      {"darknet", "obj.data", "yolo", "obj_train_data/"},
      {"darknet", "", "yolo", "obj_train_data/"},
      {"coco", "annotations/instances_train.json", "coco", "images/train/"},
      {"via", "via.json", "via", ""},
      {"label_studio", "project.json", "label-studio", "images/", "0a1b2c3d-"},
      {"label_studio", "project.json", "label-studio", ""},
      {"label_studio_min", "result.json", "label-studio", "images/", "0a1b2c3d-"},
      {"label_studio_coco", "result.json", "coco", "images/", "0a1b2c3d-"},
      {"label_studio_yolo", "", "yolo", "images/", "0a1b2c3d-"},
  };
  for (const Export& one : exports) {
    CAPTURE(one.folder);
    CAPTURE(one.input);
    TempDir dir;
    fs::copy(fs::path(LETTERPRESS_SOURCE_DIR) / "tests/golden/annotations/exports" / one.folder,
             dir.path(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    for (const char* name : {"a.jpg", "b.jpg", "c.jpg"})
      write_pictures(dir, {one.pictures + one.prefix + name});
    const AnnotationSet set =
        read_annotations(one.input.empty() ? dir.path() : dir / one.input, {});
    CHECK(set.format == one.format);
    CHECK(set.rejects.empty());
    std::vector<NamedPicture> expected = pictures_in(one.pictures, one.prefix);
    if (!one.lists_empty) expected.pop_back();
    check_pictures(set, dir, expected);
  }
}

TEST_CASE("a picture that is found elsewhere than its label says is told") {
  TempDir dir;
  fs::copy(fs::path(LETTERPRESS_SOURCE_DIR) / "tests/golden/annotations/exports/darknet",
           dir.path(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  write_pictures(dir, {"obj_train_data/a.jpg", "obj_train_data/b.jpg", "obj_train_data/c.jpg"});
  CHECK_CONTAINS(remarks_of(read_annotations(dir / "obj.data")),
                 "3 pictures by the longest end of the path that leads to a file here: the first, "
                 "'data/obj_train_data/a.jpg', is ");
}

}  // namespace letterpress
