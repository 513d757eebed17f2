#include <set>
#include <tuple>

#include "samples.h"

namespace letterpress {
namespace {

const std::string kImages =
    R"([{"id": 5, "file_name": "1.jpg", "width": 640, "height": 480}, {"id": 9, "file_name": "2.jpg"}])";
const std::string kCategories = R"([{"id": 4, "name": "dog"}, {"id": 2, "name": "cat"}])";

std::string coco(const std::string& annotations, const std::string& images = kImages,
                 const std::string& categories = kCategories) {
  return R"({"images": )" + images + R"(, "annotations": [)" + annotations +
         R"(], "categories": )" + categories + "}";
}

struct CocoSet {
  TempDir dir;

  CocoSet() { write_pictures(dir, {"1.jpg", "2.jpg"}); }
  std::filesystem::path write(const std::string& text) { return dir.write("instances.json", text); }
  AnnotationSet read(const std::string& text, const AnnotationOptions& options = {}) {
    return read_annotations(write(text), options);
  }
};

}  // namespace

TEST_CASE("COCO boxes carry class, crowd flag and the stated area; image ids are kept") {
  CocoSet set;
  const AnnotationSet read = set.read(
      coco(R"({"image_id": 9, "category_id": 4, "bbox": [1, 2, 3.5, 4], "area": 7.5, "iscrowd": 1},
      {"image_id": 5, "category_id": 2, "bbox": [0, 0, 640, 480], "iscrowd": false, "segmentation": {"counts": "abc", "size": [1, 2]}})"));
  REQUIRE(read.items.size() == 2);
  CHECK(read.classes == std::vector<std::string>{"cat", "dog"});
  CHECK(read.class_ids == std::vector<std::int64_t>{2, 4});
  CHECK(read.items[0].image_id == 5);
  CHECK(read.items[0].width == 640);
  CHECK(read.items[0].boxes == std::vector<LabelBox>{{0, 0, 640, 480, 0}});
  CHECK(read.items[1].boxes == std::vector<LabelBox>{{1, 2, 4.5f, 6, 1, kCrowd, 7.5f}});
  CHECK(read.items[1].width == 0);
  CHECK(read.items[1].where == (set.dir / "instances.json").string() + ": image 9");
}

TEST_CASE("ids may be texts: digits are a number, and iscrowd may be null") {
  CocoSet set;
  const AnnotationSet read = set.read(coco(
      R"({"id": "a", "image_id": "5", "category_id": "t-2", "bbox": [1, 2, 3, 4], "iscrowd": null},
              {"image_id": "img_b", "category_id": "7", "bbox": [1, 2, 3, 4]},
              {"image_id": "img_c", "category_id": "7", "bbox": [1, 2, 3, 4]})",
      R"([{"id": 5, "file_name": "1.jpg"}, {"id": "img_b", "file_name": "2.jpg"}])",
      R"([{"id": 7, "name": "seven"}, {"id": "t-1", "name": "zebra"}, {"id": "t-2", "name": "ant"}])"));
  // Texts come before numbers, in the order of their first use: annotations may be read first.
  CHECK(std::set<std::string>(read.classes.begin(), read.classes.end()) ==
        std::set<std::string>{"seven", "zebra", "ant"});
  REQUIRE(read.items.size() == 2);
  CHECK(read.items[0].image_id == 5);
  CHECK(read.items[1].image_id == -1);
  CHECK(read.items[1].where.ends_with(": image 'img_b'"));
  const auto name = [&](const Item& item) {
    return read.classes.at(static_cast<std::size_t>(item.boxes.at(0).class_id));
  };
  CHECK(name(read.items[0]) == "ant");
  CHECK(read.items[0].boxes[0].flags == 0);
  CHECK(name(read.items[1]) == "seven");
  CHECK_CONTAINS(only_reject(read), "annotations[2]: no usable image has the id 'img_c'");
}

TEST_CASE("the order of the lists in the file does not matter, nor does a byte order mark") {
  CocoSet set;
  const AnnotationSet read = set.read(
      "\xEF\xBB\xBF{\"categories\": " + kCategories +
      R"(, "annotations": [{"bbox": [1, 1, 2, 2], "category_id": 2, "image_id": 5}], "info": {"a": [1]}, "images": )" +
      kImages + "}");
  CHECK(read.boxes_found == 1);
  CHECK(read.items[0].boxes.size() == 1);
}

TEST_CASE("a COCO file cut anywhere is an error, exit 65, that names byte and reason") {
  CocoSet set;
  const std::string whole = coco(R"({"image_id": 5, "category_id": 2, "bbox": [1, 1, 2, 2]})");
  const Failure half = failure_of(set.write(whole.substr(0, whole.size() / 2)));
  CHECK(half.exit == Exit::data);
  CHECK_CONTAINS(half.message, "instances.json: byte " + std::to_string(whole.size() / 2) + " of " +
                                   std::to_string(whole.size() / 2) + ": is not whole JSON: ");
  CHECK_CONTAINS(half.message, "; copy or export the file again");
  for (std::size_t n = 0; n < whole.size(); ++n) {
    CAPTURE(n);
    std::filesystem::remove(set.dir / "instances.json");  // rewriting in place makes ext4 flush
    CHECK(failure_of(set.write(whole.substr(0, n)), {.format = "coco"}).exit == Exit::data);
  }
  CHECK_CONTAINS(
      failure_of(set.write(whole + " garbage"), {.format = "coco"}).message,
      "is not whole JSON: its last character is not }, so it is cut, or other text follows; "
      "copy or export the file again");
  CHECK_CONTAINS(failure_of(set.write(whole + " {}")).message,
                 "byte " + std::to_string(whole.size() + 1));
}

TEST_CASE("a broken place inside the file is named by its byte") {
  CocoSet set;
  const std::string text = coco(R"({"image_id": 5, "category_id": 2 "bbox": [1, 1, 2, 2]})");
  CHECK_CONTAINS(failure_of(set.write(text)).message,
                 "byte " + std::to_string(text.find("\"bbox\"")) + " of ");
}

TEST_CASE("a file without one of the three lists is not a detection set") {
  CocoSet set;
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"annotations": [], "categories": []})",
       "holds no list `images`; is it a COCO detection file?"},
      {R"({"images": [], "categories": []})",
       "holds no list `annotations`, so no boxes; name the file with the labels"},
      {R"({"images": [], "annotations": []})",
       "holds no list `categories`, so the ids have no names"},
      {coco("", kImages, R"([{"id": 1, "name": "a"}, {"id": 1, "name": "b"}])"),
       "category id 1 is given twice, for 'a' and 'b'; give each its own"},
      {coco("", kImages, R"([{"id": 1, "name": "a"}, {"id": 2, "name": "a"}])"),
       "classes 0 and 1 are both called 'a'; rename one"},
      {coco("", kImages, R"([{"id": 1}])"),
       "category 1 has no name; give every category an id and a name"},
      {coco("", kImages, R"([{"name": "a"}])"), "a category has no id; give every category"},
      {coco("", kImages, R"([{"id": 1.5, "name": "a"}])"),
       "category id is not an integer; give every category"},
      {coco("", "[1, 2]"), "is not COCO JSON: must be an object with the lists"},
  };
  for (const auto& [text, message] : cases) {
    CAPTURE(text);
    const Failure failure = failure_of(set.write(text));
    CHECK(failure.exit == Exit::data);
    CHECK_CONTAINS(failure.message, message);
  }
}

TEST_CASE("a bad annotation rejects its picture, and all its boxes are accounted for") {
  const std::string fix = "; correct or remove the annotation";
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"image_id": 5, "category_id": 3, "bbox": [1, 1, 2, 2]})",
       "category 3 is unknown: the file names 2 categories" + fix},
      {R"({"image_id": 5, "category_id": 2, "bbox": [1, NaN, 2, 2]})",
       "bbox is not a list of 4 finite numbers" + fix},
      {R"({"image_id": 5, "category_id": 2, "bbox": [1, "2", 2, 2]})",
       "bbox is not a list of 4 finite numbers" + fix},
      {R"({"image_id": 5, "category_id": 2, "bbox": [1, 2, 1e300, 2]})", "bbox: "},
      {R"({"image_id": 5, "category_id": 2, "bbox": [1, 1, 2]})",
       "bbox holds 3 numbers, must be x, y, width, height" + fix},
      {R"({"image_id": 5, "category_id": 2, "bbox": [1, 1, 2, 2, 2]})",
       "bbox holds 5 numbers, must be x, y, width, height" + fix},
      {R"({"image_id": 5, "category_id": 2, "bbox": 7})", "bbox is not a list of 4 numbers" + fix},
      {R"({"image_id": 5, "category_id": 2})", "has no bbox" + fix},
      {R"({"image_id": 5, "bbox": [1, 1, 2, 2]})", "has no category_id" + fix},
      {R"({"image_id": 5, "category_id": "cat", "bbox": [1, 1, 2, 2]})",
       "category 'cat' is unknown: the file names 2 categories" + fix},
      {R"({"image_id": 5, "category_id": 2.5, "bbox": [1, 1, 2, 2]})",
       "category_id is not an integer" + fix},
  };
  const std::string good = R"({"image_id": 5, "category_id": 2, "bbox": [1, 1, 2, 2]}, )";
  for (const auto& [annotation, what] : cases) {
    CAPTURE(annotation);
    CocoSet set;
    const AnnotationSet read = set.read(coco(good + annotation));
    CHECK(read.items.size() == 1);
    CHECK_CONTAINS(only_reject(read), "instances.json: annotations[1] (image 5): " + what);
    CHECK(read.boxes_found == 2);
    CHECK(read.boxes_rejected == 2);
  }
}

TEST_CASE("an annotation of no image is a rejected box") {
  CocoSet set;
  const AnnotationSet read = set.read(coco(
      R"({"image_id": 6, "category_id": 2, "bbox": [1, 1, 2, 2]}, {"category_id": 2, "bbox": [1, 1, 2, 2]})"));
  CHECK(read.items.size() == 2);
  REQUIRE(read.rejects.size() == 2);
  CHECK_CONTAINS(to_string(read.rejects[0]),
                 "instances.json: annotations[0]: no usable image has the id 6; add the image or "
                 "remove the annotation");
  CHECK_CONTAINS(to_string(read.rejects[1]), "instances.json: annotations[1]: has no image_id");
  CHECK(read.rejects[0].scope == Reject::Scope::box);
  CHECK(read.boxes_found == 2);
  CHECK(read.boxes_rejected == 2);
}

TEST_CASE("a bad image entry is rejected, with the annotations that mean it") {
  CocoSet set;
  const std::string annotation = R"({"image_id": 5, "category_id": 2, "bbox": [1, 1, 2, 2]})";
  // Where the id is known, its annotations are rejected with it, not each as meaning no image.
  const std::vector<std::tuple<std::string, std::string, std::size_t>> cases{
      {R"([{"file_name": "1.jpg"}])", "images[0]: has no id; correct this entry of images", 2},
      {R"([{"id": 5.5, "file_name": "1.jpg"}])", "images[0]: id is not an integer", 2},
      {R"([{"id": 5}])", "image 5: has no file_name", 1},
      {R"([{"id": 5, "file_name": 3}])", "image 5: file_name is not a text", 1},
  };
  for (const auto& [images, message, n] : cases) {
    CAPTURE(images);
    const AnnotationSet read = set.read(coco(annotation, images));
    CHECK(read.items.empty());
    REQUIRE(read.rejects.size() == n);
    CHECK_CONTAINS(to_string(read.rejects[n - 1]), message);
    CHECK(read.boxes_found == 1);
    CHECK(read.boxes_rejected == 1);
  }
  const AnnotationSet twice = set.read(
      coco(annotation, R"([{"id": 5, "file_name": "1.jpg"}, {"id": 5, "file_name": "2.jpg"}])"));
  CHECK(twice.items.empty());  // whose the annotations are nobody knows
  CHECK(twice.boxes_found == twice.boxes_rejected);
  std::size_t told = 0;
  for (const Reject& reject : twice.rejects)
    told += to_string(reject).find("image 5: its id is given twice, so its annotations") !=
            std::string::npos;
  CHECK(told == 2);
}

// CVAT's COCO export states a rectangle as it was before it was turned.
TEST_CASE("a turned box of CVAT is read as the upright box around it, and counted") {
  TempDir dir;
  write_pictures(dir, {"a.jpg"});
  const auto read = [&](const std::string& attributes) {
    return read_annotations(dir.write(
        "a.json", R"({"images": [{"id": 1, "file_name": "a.jpg", "width": 100, "height": 100}],
          "categories": [{"id": 1, "name": "cat"}], "annotations": [{"id": 1, "image_id": 1,
          "category_id": 1, "bbox": [40, 20, 20, 60], "attributes": )" +
                      attributes + "}]}"));
  };
  const AnnotationSet turned = read(R"({"occluded": false, "rotation": 90.0})");
  REQUIRE(turned.items.size() == 1);
  const LabelBox& box = turned.items[0].boxes.at(0);
  CHECK(box.x1 == doctest::Approx(20));
  CHECK(box.y1 == doctest::Approx(40));
  CHECK(box.x2 == doctest::Approx(80));
  CHECK(box.y2 == doctest::Approx(60));
  CHECK(turned.remarks ==
        std::vector<std::string>{"1 turned box is read as the upright box around it"});
  for (const char* plain :
       {R"({"rotation": 0.0})", R"({"rotation": "left"})", "[]", "null", R"({"rotation": 1e9})"}) {
    CAPTURE(plain);
    const AnnotationSet set = read(plain);
    CHECK(set.remarks.empty());
    REQUIRE(set.items.size() == 1);
    CHECK(set.items[0].boxes.at(0).x1 == 40);
  }
}

TEST_CASE("an image with too many boxes is rejected") {
  CocoSet set;
  const std::string one = R"({"image_id": 5, "category_id": 2, "bbox": [1, 1, 2, 2]})";
  const AnnotationSet read = set.read(coco(one + "," + one + "," + one), {.max_boxes = 2});
  CHECK(read.items.size() == 1);
  CHECK_CONTAINS(only_reject(read),
                 "instances.json: image 5: holds 3 boxes, at most 2 are allowed");
}

TEST_CASE("pictures of a COCO file in another folder are found by root") {
  TempDir dir;
  write_pictures(dir, {"val2017/1.jpg", "val2017/2.jpg"});
  const std::filesystem::path file = dir.write("annotations/instances.json", coco(""));
  CHECK_CONTAINS(to_string(read_annotations(file).rejects.at(0)),
                 "image 5: there is no picture '1.jpg', tried ");
  CHECK(read_annotations(file, {.roots = {dir / "val2017"}}).items.size() == 2);
}

TEST_CASE("--classes orders COCO classes and keeps their category ids") {
  CocoSet set;
  const AnnotationOptions options{.classes = set.dir.write("classes.txt", "dog\nbird\n")};
  const AnnotationSet read =
      set.read(coco(R"({"image_id": 5, "category_id": 4, "bbox": [1, 1, 2, 2]})"), options);
  CHECK(read.classes == std::vector<std::string>{"dog", "bird"});
  CHECK(read.class_ids == std::vector<std::int64_t>{4, -1});
  CHECK(read.items[0].boxes.at(0).class_id == 0);
  CHECK_CONTAINS(only_reject(set.read(
                     coco(R"({"image_id": 5, "category_id": 2, "bbox": [1, 1, 2, 2]})"), options)),
                 "unknown class 'cat'");
}

TEST_CASE("difficult, a key of our own, is read as 0 or 1, and ignored when it is something else") {
  TempDir dir;
  write_pictures(dir, {"1.jpg"});
  const auto flags = [&](const std::string& value) {
    const auto file = dir.write(
        "c.json",
        R"({"images":[{"id":1,"file_name":"1.jpg"}],"categories":[{"id":1,"name":"a"}],"annotations":[)"
        R"({"image_id":1,"category_id":1,"bbox":[1,1,2,2],"difficult":)" +
            value + "}]}");
    return read_annotations(file).items[0].boxes.at(0).flags;
  };
  CHECK(flags("1") == kDifficult);
  CHECK(flags("true") == kDifficult);
  CHECK(flags("0") == 0);
  CHECK(flags("\"hard\"") == 0);
}

}  // namespace letterpress
