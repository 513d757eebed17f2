// Boxes whose numbers are shares in formats that write pixels.
#include "exports.h"
#include "samples.h"

namespace letterpress {
namespace {

std::string voc_xml(const std::string& corners) {
  return "<annotation><object><name>cat</name><bndbox>" + corners +
         "</bndbox></object></annotation>";
}

// The same box, 10,20 to 30,60 of a picture of 100 x 100, in each format. Label file -> text.
std::vector<std::pair<std::string, std::string>> shares_of_each_format() {
  return {{"boxes.csv", "1.jpg,0.1,0.2,0.3,0.6,cat\n"},
          {"list.txt", "1.jpg 0.1,0.2,0.3,0.6,0\n"},
          {"1.xml", voc_xml("<xmin>0.1</xmin><ymin>0.2</ymin><xmax>0.3</xmax><ymax>0.6</ymax>")},
          {"coco.json",
           R"({"images": [{"id": 1, "file_name": "1.jpg"}],
               "annotations": [{"image_id": 1, "category_id": 1, "bbox": [0.1, 0.2, 0.2, 0.4],
                                "area": 0.08}],
               "categories": [{"id": 1, "name": "cat"}]})"}};
}

}  // namespace

TEST_CASE("a label file whose boxes lie within 0..1 is refused with both readings and the flag") {
  for (const auto& [name, text] : shares_of_each_format()) {
    CAPTURE(name);
    TempDir dir;
    write_pictures(dir, {"1.jpg"});
    const Failure failure = failure_of(
        dir.write(name, text), {.classes = name == "list.txt" ? dir.write("classes.txt", "cat\n")
                                                              : std::filesystem::path()});
    CHECK(failure.exit == Exit::usage);
    CHECK_CONTAINS(failure.message,
                   name +
                       ": 1 of 1 boxes within 0..1: shares of the picture, or "
                       "pixels; pass --coordinates shares or --coordinates pixels");
  }
}

TEST_CASE("boxes within 0..1 among boxes in pixels are counted, and the first is named") {
  TempDir dir;
  write_pictures(dir, {"1.jpg", "2.jpg", "3.jpg"});
  const std::string file = dir.write("boxes.csv",
                                     "1.jpg,10,20,30,60,cat\n2.jpg,0.1,0.2,0.3,0.6,cat\n"
                                     "3.jpg,10,20,30,60,cat\n3.jpg,0.1,0.2,1,1.01,cat\n")
                               .string();
  CHECK(remarks_of(read_annotations(file)) ==
        "2 of 4 boxes lie within 0..1, the first in " + file +
            ":2: are some of them shares of the picture? All are read as pixels; write them in "
            "one unit\n");
  CHECK(remarks_of(read_annotations(file, {.coordinates = Coordinates::pixels})).empty());
  dir.write("classes.txt", "cat\n");
  const std::string list = dir.write("list.txt", "1.jpg 10,20,30,60,0 0,0,0.5,0.5,0\n").string();
  CHECK_CONTAINS(remarks_of(read_annotations(list, {.classes = dir / "classes.txt"})),
                 "1 of 2 boxes lie within 0..1, the first in " + list + ":1: are some");
}

TEST_CASE("--coordinates shares reads them so in every format, areas too") {
  for (const auto& [name, text] : shares_of_each_format()) {
    CAPTURE(name);
    TempDir dir;
    write_pictures(dir, {"1.jpg"});
    AnnotationOptions options{.coordinates = Coordinates::shares};
    if (name == "list.txt") options.classes = dir.write("classes.txt", "cat\n");
    const AnnotationSet set = read_annotations(dir.write(name, text), options);
    const CheckedBoxes checked = check_boxes(set.items.at(0), 100, 100);
    REQUIRE(checked.boxes.size() == 1);
    const LabelBox& box = checked.boxes[0];
    CHECK(box.x1 == doctest::Approx(10));
    CHECK(box.y1 == doctest::Approx(20));
    CHECK(box.x2 == doctest::Approx(30));
    CHECK(box.y2 == doctest::Approx(60));
    CHECK(box.area == doctest::Approx(name == "coco.json" ? 800 : -1));
  }
}

TEST_CASE("--coordinates pixels keeps tiny boxes; a few of them among others are not questioned") {
  TempDir dir;
  write_pictures(dir, {"1.jpg"});
  const std::filesystem::path tiny = dir.write("tiny.csv", "1.jpg,0.1,0.2,0.3,0.6,cat\n");
  CHECK(read_annotations(tiny, {.coordinates = Coordinates::pixels}).items[0].boxes ==
        std::vector<LabelBox>{{0.1F, 0.2F, 0.3F, 0.6F, 0}});
  std::string rows = "1.jpg,0,0,1,1,cat\n1.jpg,0,0,0,0,cat\n";
  for (const char* tenth : {"", "1.jpg,0,0,1,1,cat\n"}) {
    CAPTURE(tenth);
    const std::filesystem::path mixed =
        dir.write("mixed.csv", rows + tenth + "1.jpg,1,2,30,40,cat\n");
    CHECK_FALSE(read_annotations(mixed).items[0].normalised);
  }
}

TEST_CASE("VOC corners that start at 0 are remarked on; --voc-origin 0 takes them as they stand") {
  TempDir dir;
  write_pictures(dir, {"1.jpg"});
  const std::filesystem::path labels =
      dir.write("1.xml", voc_xml("<xmin>0</xmin><ymin>4</ymin><xmax>30</xmax><ymax>40</ymax>"));
  const AnnotationSet one = read_annotations(labels),
                      zero = read_annotations(labels, {.voc_origin = 0});
  CHECK(one.items[0].boxes == std::vector<LabelBox>{{-1, 3, 30, 40, 0}});
  REQUIRE(one.remarks.size() == 1);
  CHECK(one.remarks[0] ==
        "1 box has an xmin or ymin of 0, but VOC counts from 1: if yours counts from 0, pass "
        "--voc-origin 0");
  CHECK(zero.items[0].boxes == std::vector<LabelBox>{{0, 4, 30, 40, 0}});
  CHECK(zero.remarks.empty());
}

}  // namespace letterpress
