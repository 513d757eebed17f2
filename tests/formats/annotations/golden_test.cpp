#include <fstream>
#include <sstream>

#include "samples.h"
#include "tests/locations.h"

namespace letterpress {
namespace {

const std::filesystem::path kGolden =
    std::filesystem::path(LETTERPRESS_SOURCE_DIR) / "tests/golden/annotations";

struct ExpectedBox {
  LabelBox box;
  std::string class_name;
};
struct ExpectedPicture {
  std::string name;
  std::int32_t width = 0, height = 0;
  std::int64_t image_id = -1;
  std::vector<ExpectedBox> boxes;
  std::string label = {};
};

// The form is described in make_samples.py.
std::vector<ExpectedPicture> read_expected(const std::filesystem::path& path) {
  std::vector<ExpectedPicture> pictures;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    if (line.starts_with("picture ")) {
      ExpectedPicture picture;
      std::string word;
      fields >> word >> picture.width >> picture.height >> picture.image_id;
      std::getline(fields >> std::ws, picture.name);
      pictures.push_back(picture);
    } else if (line.starts_with("label ")) {
      pictures.back().label = line.substr(6);
    } else {
      ExpectedBox expected;
      int flags = 0;
      fields >> expected.box.x1 >> expected.box.y1 >> expected.box.x2 >> expected.box.y2 >>
          expected.class_name >> flags >> expected.box.area;
      expected.box.flags = static_cast<std::uint8_t>(flags);
      pictures.back().boxes.push_back(expected);
    }
  }
  return pictures;
}

void check_picture(const AnnotationSet& set, const Item& item, const ExpectedPicture& expected) {
  CAPTURE(expected.name);
  CHECK(item.name == expected.name);
  CHECK(item.image_id == expected.image_id);
  CHECK(std::filesystem::is_regular_file(item.path));
  CHECK((item.label < 0 ? "" : set.classes[static_cast<std::size_t>(item.label)]) ==
        expected.label);
  if (item.width != 0) {
    CHECK(item.width == expected.width);
    CHECK(item.height == expected.height);
  }
  const CheckedBoxes checked = check_boxes(item, expected.width, expected.height);
  CHECK(checked.rejects.empty());
  REQUIRE(checked.boxes.size() == expected.boxes.size());
  for (std::size_t i = 0; i < checked.boxes.size(); ++i) {
    const LabelBox &box = checked.boxes[i], &wanted = expected.boxes[i].box;
    CHECK(box.x1 == doctest::Approx(wanted.x1).epsilon(1e-6));
    CHECK(box.y1 == doctest::Approx(wanted.y1).epsilon(1e-6));
    CHECK(box.x2 == doctest::Approx(wanted.x2).epsilon(1e-6));
    CHECK(box.y2 == doctest::Approx(wanted.y2).epsilon(1e-6));
    CHECK(box.area == wanted.area);
    CHECK(box.flags == wanted.flags);
    CHECK(set.classes[static_cast<std::size_t>(box.class_id)] == expected.boxes[i].class_name);
  }
}

AnnotationSet read_sample(const std::string& format) {
  const std::filesystem::path folder = kGolden / format;
  if (format == "cifar") return read_annotations(folder);
  if (format == "coco") return read_annotations(folder / "instances.json");
  if (format == "csv") return read_annotations(folder / "boxes.csv");
  if (format == "labelme") return read_annotations(folder);
  if (format == "folder") return read_annotations(folder);
  if (format == "voc") return read_annotations(folder / "ImageSets/Main/train.txt");
  if (format == "yolo") return read_annotations(folder / "data.yaml");
  return read_annotations(folder / "train.txt", {.classes = folder / "classes.txt"});
}

}  // namespace

TEST_CASE(
    "each format's sample is recognised and read as pycocotools, xml.etree and hand-written "
    "parsing read it") {
  for (const std::string format :
       {"cifar", "coco", "csv", "folder", "keras", "labelme", "voc", "yolo"}) {
    CAPTURE(format);
    const AnnotationSet set = read_sample(format);
    const std::vector<ExpectedPicture> expected = read_expected(kGolden / format / "expected.txt");
    CHECK(set.format == format);
    CHECK(set.rejects.empty());
    REQUIRE(set.items.size() == expected.size());
    REQUIRE(set.items.size() == 3);
    std::int64_t boxes = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      check_picture(set, set.items[i], expected[i]);
      boxes += static_cast<std::int64_t>(expected[i].boxes.size());
    }
    CHECK(set.boxes_found == boxes);
    CHECK(set.boxes_rejected == 0);
  }
}

TEST_CASE("COCO classes are in category id order and their ids are kept") {
  const AnnotationSet set = read_sample("coco");
  CHECK(set.classes == std::vector<std::string>{"bolt", "nut", "washer"});
  CHECK(set.class_ids == std::vector<std::int64_t>{3, 17, 90});
}

TEST_CASE("VOC classes are in the order of their names") {
  CHECK(read_sample("voc").classes == std::vector<std::string>{"bolt", "nut", "washer"});
}

}  // namespace letterpress
