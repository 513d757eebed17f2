// Entries of `images` that cannot be used, and what looks like COCO and is none.
#include "exports.h"

namespace letterpress {
namespace {

constexpr const char* kRest =
    R"("annotations":[{"image_id":3,"category_id":1,"bbox":[1,2,3,4]},)"
    R"({"image_id":4,"category_id":1,"bbox":[5,6,7,8]}],"categories":[{"id":1,"name":"nut"}]})";

AnnotationSet read_images(const TempDir& dir, const std::string& images) {
  return read_annotations(dir.write("x.json", R"({"images":[)" + images + "]," + kRest),
                          {.format = "coco"});
}

constexpr const char* kGood = R"({"id":4,"file_name":"b.jpg"})";

}  // namespace

TEST_CASE("COCO: boxes of an image that cannot be used are rejected with it, for its own reason") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg"});
  const AnnotationSet set =
      read_images(dir, std::string(R"({"id":3,"file_name":"a.jpg","width":"200"},)") + kGood);
  CHECK_CONTAINS(only_reject(set),
                 "x.json: image 3: width is not an integer; correct this entry of images");
  CHECK(set.rejects.front().scope == Reject::Scope::picture);
  CHECK(set.boxes_rejected == 1);
  check_pictures(set, dir, {{"b.jpg", {{"nut", 5, 6, 12, 14}}}});
}

TEST_CASE("COCO: two images of one id are both rejected, whatever else is wrong with one") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg", "c.jpg"});
  const AnnotationSet set =
      read_images(dir, std::string(R"({"id":3,"file_name":"a.jpg","width":"200"},)"
                                   R"({"id":3,"file_name":"c.jpg"},)") +
                           kGood);
  REQUIRE(set.rejects.size() == 2);
  CHECK_CONTAINS(to_string(set.rejects[0]), "image 3: width is not an integer");
  CHECK_CONTAINS(to_string(set.rejects[1]), "image 3: its id is given twice");
  CHECK(set.items.size() == 1);
  CHECK(set.boxes_found == 2);
}

TEST_CASE("COCO: annotations inside an image are not background") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg"});
  const AnnotationSet set = read_images(
      dir, std::string(
               R"({"id":7,"file_name":"a.jpg","annotations":[{"category_id":1,"bbox":[1,2,3,4]}]},)"
               R"({"id":3,"file_name":"b.jpg","annotations":[]},)") +
               R"({"id":4,"file_name":"b.jpg"})");
  CHECK_CONTAINS(only_reject(set),
                 "image 7: holds 1 annotation of its own, which must be in the file's list "
                 "`annotations`; correct this entry of images");
  CHECK(set.items.size() == 2);
}

TEST_CASE("COCO: `annotations` of an image that is no list rejects it, null is none") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg"});
  const AnnotationSet set = read_images(dir, R"({"id":3,"file_name":"a.jpg","annotations":{}},)"
                                             R"({"id":4,"file_name":"b.jpg","annotations":null})");
  CHECK_CONTAINS(only_reject(set), "x.json: image 3: annotations is not a list");
  check_pictures(set, dir, {{"b.jpg", {{"nut", 5, 6, 12, 14}}}});
}

// As `datum` 0.x writes it, without dm_format_version.
TEST_CASE("Datumaro's own JSON is not taken for COCO's, and the message names an export") {
  TempDir dir;
  const auto path =
      dir.write("default.json", R"({"info":{},"categories":{"label":{"labels":[{"name":"nut"}]}},)"
                                R"("items":[{"id":"a","annotations":[]}]})");
  CHECK_CONTAINS(failure_of(path, {.format = "coco"}).message,
                 "default.json: has Datumaro's own items; export it as COCO (`datum convert -f "
                 "coco_instances`), VOC or YOLO");
  CHECK_CONTAINS(
      failure_of(path).message,
      "coco: has Datumaro's own items; export it as COCO (`datum convert -f coco_instances`), VOC "
      "or YOLO");
}

// As pandas writes a column of integers in which one is missing (PyLabel's ExportToCoco).
TEST_CASE("COCO: integers may be written as 1.0, and fractions may not") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg"});
  const AnnotationSet set = read_annotations(dir.write(
      "x.json",
      R"({"images":[{"id":3.0,"file_name":"a.jpg","width":100.0,"height":80.0},)"
      R"({"id":4.0,"file_name":"b.jpg"}],"categories":[{"id":1.0,"name":"nut"}],"annotations":[)"
      R"({"image_id":3,"category_id":1.0,"bbox":[1,2,3,4],"iscrowd":0.0},)"
      R"({"image_id":3.0,"category_id":1,"bbox":[5,6,7,8],"iscrowd":1.0},)"
      R"({"image_id":4,"category_id":1.5,"bbox":[5,6,7,8]}]})"));
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].width == 100);
  CHECK(set.items[0].boxes == std::vector<LabelBox>{{1, 2, 4, 6, 0}, {5, 6, 12, 14, 0, kCrowd}});
  CHECK_CONTAINS(only_reject(set), "category_id is not an integer");
}

}  // namespace letterpress
