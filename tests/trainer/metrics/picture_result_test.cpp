#include "trainer/metrics/picture_result.h"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace letterpress;

TEST_CASE("labels and detections become boxes with sides; a missing area is that of the box") {
  const std::vector<LabelBox> labels{{1, 2, 4, 6, 1, kCrowd, 7}, {0, 0, 2, 3, 0, kDifficult}};
  const std::vector<Detection> detections{{1, 2, 4, 6, 0.5F, 2}};
  const PictureResult result = picture_result(labels, detections);
  CHECK(result.ground_truths[0].box == CocoBox{1, 2, 3, 4});
  CHECK(result.ground_truths[0].area == 7);
  CHECK(result.ground_truths[0].crowd);
  CHECK_FALSE(result.ground_truths[0].difficult);
  CHECK(result.ground_truths[1].area == 6);
  CHECK(result.ground_truths[1].difficult);
  CHECK(result.found[0].box == CocoBox{1, 2, 3, 4});
  CHECK(result.found[0].class_id == 2);
  CHECK(result.found[0].score == 0.5);
}

TEST_CASE("pictures of files come by ascending id, classes in the order of the file") {
  const CocoGroundTruth ground_truth{
      .images = {{9, "b"}, {4, "a"}},
      .categories = {{17, "cat"}, {3, "dog"}},
      .annotations = {
          {.image_id = 9, .category_id = 3, .box = {1, 2, 3, 4}, .area = 5, .crowd = true}}};
  const std::vector<CocoResult> found{
      {.image_id = 4, .category_id = 17, .box = {0, 0, 1, 1}, .score = 0.25}};
  const auto pictures = picture_results(ground_truth, found);
  REQUIRE(pictures.size() == 2);
  CHECK(pictures[0].ground_truths.empty());
  CHECK(pictures[0].found.at(0).class_id == 0);
  CHECK(pictures[0].found.at(0).score == 0.25);
  CHECK(pictures[1].ground_truths.at(0).class_id == 1);
  CHECK(pictures[1].ground_truths.at(0).area == 5);
  CHECK(pictures[1].ground_truths.at(0).crowd);
  CHECK_THROWS_WITH_AS(
      picture_results(ground_truth, std::vector<CocoResult>{{.image_id = 5, .category_id = 17}}),
      "a detection of image 5, which is not there", std::logic_error);
}
