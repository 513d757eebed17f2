#include "letterpress/detections/coco.h"

#include <doctest/doctest.h>

#include <limits>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

CocoGroundTruth sample_ground_truth() {
  return {.images = {{4711, "a \"b\" \u00e9.jpg", 80, 60},
                     {std::numeric_limits<std::int64_t>::max(), "c.png"}},
          .categories = {{90, "toothbrush"}, {17, "cat"}},
          .annotations = {{4711, 90, {0.1, 1.0 / 3, 20, 1e-9}, 123.5, true, false},
                          {4711, 17, {30, 10, 20.25, 20}, 400, false, true}}};
}

std::vector<CocoResult> sample_results() {
  return {{4711, 90, {0.1, 1.0 / 3, 20, 20}, 0.1F},
          {.box = {1, 2, 3, 4}, .score = 1, .image = "c.png", .category = "cat"}};
}

}  // namespace

TEST_CASE("results and ground truth read back as they were written, every double to the bit") {
  const TempDir dir;
  write_coco_results(dir / "found.json", sample_results());
  CHECK(read_coco_results(dir / "found.json") == sample_results());
  write_coco_ground_truth(dir / "truth.json", sample_ground_truth());
  CHECK(read_coco_ground_truth(dir / "truth.json") == sample_ground_truth());
  write_coco_results(dir / "found.json", {});
  CHECK(read_coco_results(dir / "found.json").empty());
  write_coco_ground_truth(dir / "truth.json", {});
  CHECK(read_coco_ground_truth(dir / "truth.json") == CocoGroundTruth{});
}

TEST_CASE("a picture is named by an id, by a text in its place, or by file_name") {
  const TempDir dir;
  const auto results = read_coco_results(dir.write("f.json", R"([
    {"image_id": 7, "file_name": "x.jpg", "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.5, "segmentation": {"counts": [1]}},
    {"file_name": "y.jpg", "category_id": "cat", "bbox": [1, 2, 3, 4], "score": 1},
    {"image_id": "z", "category_id": 1, "bbox": [1, 2, 3, 4], "score": 1e-3}])"));
  REQUIRE(results.size() == 3);
  CHECK(results[0].image_id == 7);
  CHECK(results[0].image.empty());
  CHECK(results[1].image == "y.jpg");
  CHECK(results[1].category == "cat");
  CHECK(results[1].category_id == -1);
  CHECK(results[2].image == "z");
  CHECK(results[2].image_id == -1);
}

TEST_CASE("detections of a data set are named by its own lists, which may stand behind them") {
  const TempDir dir;
  const std::string annotations =
      R"("annotations": [{"id": 1, "image_id": 2, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.5}])";
  const std::string lists =
      R"("images": [{"id": 1, "file_name": "a.png"}, {"id": 2, "file_name": "b.png"}], "categories": [{"id": 1, "name": "cat"}])";
  const std::vector<CocoResult> expected{
      {.box = {1, 2, 3, 4}, .score = 0.5, .image = "b.png", .category = "cat"}};
  CHECK(read_coco_results(dir.write("f.json", "{" + lists + "," + annotations + "}")) == expected);
  CHECK(read_coco_results(dir.write("f.json", "{" + annotations + "," + lists + "}")) == expected);
  const auto refused = [&](const std::string& text, const std::string& message) {
    CHECK_THROWS_WITH_AS(read_coco_results(dir.write("f.json", text)),
                         doctest::Contains(("f.json: " + message).c_str()), Error);
  };
  refused("{" + lists +
              R"(, "annotations": [{"image_id": 2, "category_id": 1, "bbox": [1, 2, 3, 4]}]})",
          "annotation 0: has no score");
  refused(R"({"images": [{"id": 2}], "categories": [{"id": 1}], )" + annotations + "}",
          "annotation 0: its image has no file_name to be known by");
  const std::string twice =
      R"("images": [{"id": 2, "file_name": "a.png"}, {"id": 2, "file_name": "b.png"}], "categories": [{"id": 1}])";
  refused("{" + twice + "," + annotations + "}", "image 1: its id 2 is given twice");
  refused(
      "{" + lists +
          R"(, "annotations": [{"image_id": "b.png", "category_id": 1, "bbox": [1, 2, 3, 4], "score": 1}]})",
      "annotation 0: image_id or category_id is not an id of the file's lists");
  refused("{" + annotations + "}",
          "holds no list 'images', must be a list of detections, or a COCO data set");
}

TEST_CASE(
    "ground truth without area is the box's, without crowd and difficult ordinary; other keys are "
    "skipped") {
  const TempDir dir;
  const CocoGroundTruth ground_truth = read_coco_ground_truth(
      dir.write("t.json", R"({"info": {"year": 2026}, "images": [{"id": 1, "license": 3}],
    "annotations": [{"id": 5, "image_id": 1, "category_id": 2, "bbox": [1, 2, 3, 4], "segmentation": [[1, 2]], "iscrowd": false}],
    "categories": [{"id": 2, "name": "cat", "supercategory": "animal"}]})"));
  CHECK(ground_truth.annotations.at(0) ==
        CocoGroundTruth::Annotation{1, 2, {1, 2, 3, 4}, 12, false, false});
  CHECK(ground_truth.images.at(0) == CocoGroundTruth::Image{1, "", 0, 0});
}

TEST_CASE("a size that no picture has is said") {
  const TempDir dir;
  for (const char* width : {"-1", "2147483648"}) {
    const auto file =
        dir.write("t.json", std::string(R"({"images": [{"id": 1, "width": )") + width +
                                R"(}], "annotations": [], "categories": []})");
    CHECK_THROWS_WITH_AS(
        read_coco_ground_truth(file),
        doctest::Contains(
            (std::string("width is ") + width + ", must be pixels from 0 to 2147483647").c_str()),
        Error);
  }
}

TEST_CASE("a fault is said with file, entry, field and what was wanted") {
  const TempDir dir;
  const auto results = [&](const std::string& text, const std::string& message) {
    CHECK_THROWS_WITH_AS(read_coco_results(dir.write("f.json", text)),
                         doctest::Contains(("f.json: " + message).c_str()), Error);
  };
  const std::string good = R"({"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 1})";
  results("[" + good + R"(, {"category_id": 1, "bbox": [1, 2, 3, 4], "score": 1}])",
          "detection 1: has neither image_id nor file_name");
  results(R"([{"image_id": 1, "bbox": [1, 2, 3, 4], "score": 1}])",
          "detection 0: has no category_id");
  results(R"([{"image_id": 1, "category_id": 1, "score": 1}])", "detection 0: has no bbox");
  results(R"([{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}])",
          "detection 0: has no score");
  results(R"([{"image_id": 1.5, "category_id": 1}])", "detection 0: image_id is not an integer");
  results(R"([{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3]}])",
          "detection 0: bbox holds 3 numbers, must be x, y, width, height");
  results(R"([{"image_id": 1, "category_id": 1, "bbox": [9, 2, -3, 4]}])",
          "detection 0: bbox is -3.000000 wide and 4.000000 high, must be x, y, width, height, not "
          "two corners");
  results(R"([{"image_id": 1, "category_id": 1, "bbox": [1, 2, "3", 4]}])",
          "detection 0: bbox is not a finite number");
  results(R"([{"image_id": 1, "category_id": 1, "bbox": 3}])", "detection 0: bbox is not a list");
  results(R"([{"image_id": 1, "category_id": 1, "score": "high"}])",
          "detection 0: score is not a finite number");
  results("[7]", "detection 0: is not an object");
  results("{}", "holds no list 'images', must be a list of detections, or a COCO data set with");
  results("7", "is not a whole JSON file with a list of detections (");
  results("[" + good, "is not a whole JSON file with a list of detections (");
  results("[" + good + "] [3]", "something follows the end of the JSON");
  const auto ground_truth = [&](const std::string& text, const std::string& message) {
    CHECK_THROWS_WITH_AS(read_coco_ground_truth(dir.write("t.json", text)),
                         doctest::Contains(("t.json: " + message).c_str()), Error);
  };
  ground_truth(R"({"images": [], "categories": []})",
               "holds no list 'annotations', must be a COCO data set with images, categories and "
               "annotations");
  ground_truth(R"({"images": [{"file_name": "a"}], "categories": [], "annotations": []})",
               "image 0: has no id");
  ground_truth(R"({"images": [{"id": 1}, {"id": 1}], "categories": [], "annotations": []})",
               "image 1: its id 1 is given twice");
  ground_truth(R"({"images": [], "categories": [{"id": 1, "name": 3}], "annotations": []})",
               "category 0: name is not a text");
  const std::string lists =
      R"({"images": [{"id": 1}], "categories": [{"id": 1, "name": "x"}], "annotations": [)";
  ground_truth(lists + R"({"image_id": 2, "category_id": 1, "bbox": [1, 2, 3, 4]}]})",
               "annotation 0: no image has its image_id 2");
  ground_truth(lists + R"({"image_id": 1, "category_id": 2, "bbox": [1, 2, 3, 4]}]})",
               "annotation 0: no category has its category_id 2");
  ground_truth("[]", "is not a whole JSON file with images, categories and annotations (");
  CHECK_THROWS_AS(read_coco_ground_truth(dir / "none.json"), Error);
}

TEST_CASE("a file that is cut anywhere is refused") {
  const TempDir dir;
  write_coco_results(dir / "found.json", sample_results());
  write_coco_ground_truth(dir / "truth.json", sample_ground_truth());
  const std::string found = read_file(dir / "found.json"),
                    ground_truth = read_file(dir / "truth.json");
  for (std::size_t n = 0; n + 1 < found.size(); ++n)
    CHECK_THROWS_AS(read_coco_results(dir.write("cut.json", found.substr(0, n))), Error);
  for (std::size_t n = 0; n + 2 < ground_truth.size(); ++n)
    CHECK_THROWS_AS(read_coco_ground_truth(dir.write("cut.json", ground_truth.substr(0, n))),
                    Error);
}
