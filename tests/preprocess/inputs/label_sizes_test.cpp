#include "preprocess/inputs/label_sizes.h"

#include <doctest/doctest.h>

#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

// A picture of 80 x 60 whose label file states width x height.
Inputs labelled_as(std::int32_t width, std::int32_t height) {
  Inputs inputs;
  Candidate& candidate = inputs.candidates.emplace_back();
  candidate.width = 80;
  candidate.height = 60;
  candidate.item.where = "a.json: image 1";
  candidate.item.width = width;
  candidate.item.height = height;
  candidate.item.boxes = {{.x1 = 16, .y1 = 12, .x2 = 80, .y2 = 60, .class_id = 0, .area = 100}};
  return inputs;
}

}  // namespace

TEST_CASE("a picture of another size than its labels state is rejected with both sizes") {
  Inputs inputs = labelled_as(160, 120);
  settle_label_sizes(inputs, LabelSize::reject);
  REQUIRE(inputs.candidates[0].reject);
  CHECK(to_string(*inputs.candidates[0].reject) ==
        "a.json: image 1: the picture is 80x60 pixels, its label file says 160x120; scale the "
        "boxes with --label-size scale, or restore the picture");
  CHECK(inputs.candidates[0].width == 0);
}

TEST_CASE("--label-size scale scales boxes and areas, one rounded size included") {
  // 107 x 80 is 80 x 60 enlarged by 4/3 and rounded: 106.67.
  for (const auto& [width, height] : {std::pair{160, 120}, std::pair{40, 30}, std::pair{107, 80}}) {
    CAPTURE(width);
    Inputs inputs = labelled_as(width, height);
    settle_label_sizes(inputs, LabelSize::scale);
    const Candidate& candidate = inputs.candidates[0];
    REQUIRE_FALSE(candidate.reject);
    const double across = 80.0 / width, down = 60.0 / height;
    const LabelBox& box = candidate.item.boxes[0];
    CHECK(box.x1 == doctest::Approx(16 * across));
    CHECK(box.y1 == doctest::Approx(12 * down));
    CHECK(box.x2 == doctest::Approx(80 * across));
    CHECK(box.y2 == doctest::Approx(60 * down));
    CHECK(box.area == doctest::Approx(100 * across * down));
  }
}

TEST_CASE("labels of another aspect are rejected under scale too, and kept under ignore") {
  Inputs scaled = labelled_as(160, 160), ignored = labelled_as(160, 160);
  settle_label_sizes(scaled, LabelSize::scale);
  REQUIRE(scaled.candidates[0].reject);
  CHECK(to_string(*scaled.candidates[0].reject) ==
        "a.json: image 1: the picture is 80x60 pixels, its label file says 160x160; restore the "
        "picture that was labelled, or pass --label-size ignore if only the size is wrong");
  settle_label_sizes(ignored, LabelSize::ignore);
  CHECK_FALSE(ignored.candidates[0].reject);
}

TEST_CASE(
    "no stated size, the picture's own, shares, and the size before an EXIF turn are not faults") {
  Inputs none = labelled_as(0, 0), own = labelled_as(80, 60), shares = labelled_as(160, 120),
         turned = labelled_as(60, 80), swapped = labelled_as(60, 80);
  shares.candidates[0].item.normalised = true;  // of the same shape
  turned.candidates[0].orientation = 6;
  for (Inputs* inputs : {&none, &own, &shares, &turned}) {
    settle_label_sizes(*inputs, LabelSize::reject);
    CHECK_FALSE(inputs->candidates[0].reject);
  }
  settle_label_sizes(swapped, LabelSize::reject);
  CHECK(swapped.candidates[0].reject);
}

TEST_CASE("shares of a picture of another shape are rejected: they are of another picture") {
  for (const LabelSize label_size : {LabelSize::reject, LabelSize::scale, LabelSize::ignore}) {
    Inputs inputs = labelled_as(60, 80);
    inputs.candidates[0].item.normalised = true;
    settle_label_sizes(inputs, label_size);
    CHECK((inputs.candidates[0].reject != nullptr) == (label_size != LabelSize::ignore));
  }
}

TEST_CASE("a build counts such a picture and its boxes as rejected, and scales them when asked") {
  DrawnSet set;
  set.pictures(2);
  set.list("coco.json",
           R"({"images": [{"id": 1, "file_name": "p0.png", "width": 80, "height": 60},
                          {"id": 2, "file_name": "p1.png", "width": 160, "height": 120}],
               "annotations": [{"image_id": 1, "category_id": 1, "bbox": [2, 4, 10, 20]},
                               {"image_id": 2, "category_id": 1, "bbox": [4, 8, 20, 40]}],
               "categories": [{"id": 1, "name": "cat"}]})");
  BuildOptions options = set.options_of("coco.json");
  const BuildReport rejected = build_quietly(options);
  CHECK(rejected.accounting.pictures_rejected == 1);
  CHECK(rejected.accounting.boxes_rejected == 1);
  CHECK_FALSE(build_quietly(options).published);
  options.label_size = LabelSize::scale;
  CHECK(build_quietly(options).accounting.boxes_stored == 2);
  const Store store = Store::open(options.store);
  const SnapshotReader reader(store, *store.latest());
  std::vector<LabelBox> boxes;
  for (const PictureRows& picture : reader.pictures("train"))
    boxes.push_back(reader.shard(picture.clean.shard).label_boxes(picture.clean.row).at(0));
  REQUIRE(boxes.size() == 2);
  CHECK(boxes[0] == boxes[1]);
}

}  // namespace letterpress
