#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/locations.h"
#include "trainer/metrics/average_precision.h"

using namespace letterpress;

namespace {

/// The generator and the cases of tests/golden/metrics/make_average_precision.py, draw by draw.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  int operator()(int n) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(n));
  }

 private:
  std::uint64_t state_;
};

struct Box {
  float x, y, w, h;
};

Box draw_box(Draw& draw) {
  Box box{};
  for (float* side : {&box.x, &box.y}) *side = static_cast<float>(draw(400)) / 2;
  for (float* side : {&box.w, &box.h}) *side = static_cast<float>(2 + draw(160)) / 2;
  return box;
}

LabelBox draw_truth(Draw& draw, int classes) {
  const Box box = draw_box(draw);
  LabelBox truth{box.x, box.y, box.x + box.w, box.y + box.h, draw(classes)};
  if (draw(6) == 0) truth.flags = kCrowd;
  return truth;
}

Detection draw_detection(Draw& draw, int classes, int levels, const std::vector<LabelBox>& truths) {
  Box box = draw_box(draw);
  int class_id = draw(classes);
  if (!truths.empty() && draw(3) > 0) {
    const LabelBox& near = truths[static_cast<std::size_t>(draw(static_cast<int>(truths.size())))];
    class_id = near.class_id;
    const int shifts_x = draw(2);
    box.x = near.x1 + static_cast<float>(shifts_x * draw(8));
    box.y = near.y1 + static_cast<float>(draw(8));
    box.w = near.x2 - near.x1 + static_cast<float>(draw(6));
    box.h = near.y2 - near.y1 + static_cast<float>(draw(6));
  }
  const float score = static_cast<float>(draw(levels)) / static_cast<float>(levels);
  return {box.x, box.y, box.x + box.w, box.y + box.h, score, class_id};
}

struct Case {
  int classes;
  std::vector<PictureResult> pictures;
};

Case draw_case(int number) {
  Draw draw(static_cast<std::uint64_t>(number));
  Case drawn{1 + draw(4), {}};
  const int pictures = 1 + draw(8);
  const int levels = number % 3 == 0 ? 8 : 4096, most = number % 8 == 0 ? 700 : 25;
  for (int i = 0; i < pictures; ++i) {
    PictureResult picture;
    for (int left = draw(12); left > 0; --left) picture.truths.push_back(draw_truth(draw, drawn.classes));
    for (int left = draw(most); left > 0; --left) picture.detections.push_back(draw_detection(draw, drawn.classes, levels, picture.truths));
    drawn.pictures.push_back(std::move(picture));
  }
  return drawn;
}

std::vector<double> flatten(const DetectionFigures& figures) {
  std::vector<double> values{figures.map, figures.map50, figures.map75, figures.precision, figures.recall, figures.best_confidence};
  for (const DetectionFigures::PerClass& one : figures.classes)
    values.insert(values.end(), {static_cast<double>(one.truths), one.ap, one.ap50, one.precision, one.recall});
  return values;
}

}  // namespace

TEST_CASE("all figures are pycocotools' over 72 drawn cases: crowds, ties, empty pictures, more than 100 detections") {
  std::ifstream golden(LETTERPRESS_SOURCE_DIR "/tests/golden/metrics/average_precision.csv");
  int number = 0, with_crowds = 0, over_100 = 0, empty = 0;
  for (std::string line; std::getline(golden, line); ++number) {
    CAPTURE(number);
    const Case drawn = draw_case(number);
    const std::vector<double> got = flatten(evaluate_detections(drawn.pictures, drawn.classes));
    std::istringstream fields(line);
    std::size_t field = 0;
    for (std::string text; std::getline(fields, text, ','); ++field) {
      CAPTURE(field);
      REQUIRE(field < got.size());
      CHECK(std::abs(got[field] - std::stod(text)) < 1e-6);
    }
    CHECK(field == got.size());
    for (const PictureResult& picture : drawn.pictures) {
      for (const LabelBox& truth : picture.truths) with_crowds += truth.flags == kCrowd;
      for (int c = 0; c < drawn.classes; ++c)
        over_100 += std::count_if(picture.detections.begin(), picture.detections.end(), [&](auto& d) { return d.class_id == c; }) > 100;
      empty += picture.truths.empty() || picture.detections.empty();
    }
  }
  CHECK(number == 72);
  // The cases hold what their name promises.
  CHECK(with_crowds > 100);
  CHECK(over_100 > 5);
  CHECK(empty > 20);
}
