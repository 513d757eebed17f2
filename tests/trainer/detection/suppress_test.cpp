#include <ATen/Parallel.h>
#include <ATen/record_function.h>
#include <doctest/doctest.h>

#include <atomic>
#include <fstream>
#include <limits>

#include "letterpress/base/error.h"
#include "tests/trainer/detection/print.h"
#include "tests/trainer/golden_json.h"
#include "trainer/detection/decode.h"

using namespace letterpress;

namespace {

/// One picture: rows x1 y1 x2 y2, and per row the scores of its classes.
Candidates one_picture(const std::vector<std::vector<float>>& boxes,
                       const std::vector<std::vector<float>>& scores) {
  Candidates candidates;
  const auto n = static_cast<std::int64_t>(boxes.size());
  candidates.boxes = torch::zeros({1, n, 4});
  candidates.scores = torch::zeros({1, n, static_cast<std::int64_t>(scores[0].size())});
  for (std::int64_t i = 0; i < n; ++i) {
    candidates.boxes[0][i] = torch::tensor(boxes[static_cast<std::size_t>(i)]);
    candidates.scores[0][i] = torch::tensor(scores[static_cast<std::size_t>(i)]);
  }
  return candidates;
}

/// x <- (1103515245 x + 12345) mod 2^31, as the golden's script.
class Draw {
 public:
  explicit Draw(std::int64_t seed) : x_(seed) {}
  float operator()(std::int64_t n) {
    x_ = (1103515245 * x_ + 12345) % (std::int64_t{1} << 31);
    return static_cast<float>((x_ >> 8) % n);
  }

 private:
  std::int64_t x_;
};

Candidates drawn(std::int64_t seed, std::int64_t n, std::int64_t classes) {
  Draw draw(seed);
  std::vector<std::vector<float>> boxes, scores;
  for (std::int64_t i = 0; i < n; ++i) {
    const float x = draw(60), y = draw(60), w = 1 + draw(40), h = 1 + draw(40);
    boxes.push_back({x, y, x + w, y + h});
    scores.emplace_back();
    for (std::int64_t c = 0; c < classes; ++c) scores.back().push_back(draw(17) / 16);
  }
  return one_picture(boxes, scores);
}

DetectionOptions options_of(const nlohmann::json& made) {
  return {.confidence = made["confidence"],
          .iou = made["iou"],
          .max_detections = made["max_detections"]};
}

std::vector<Detection> wanted_of(const nlohmann::json& made, const Candidates& candidates) {
  std::vector<Detection> wanted;
  for (const nlohmann::json& kept : made["kept"]) {
    const auto i = kept[0].get<std::int64_t>(), c = kept[1].get<std::int64_t>();
    const float* box = candidates.boxes[0][i].const_data_ptr<float>();
    wanted.push_back({box[0], box[1], box[2], box[3], candidates.scores[0][i][c].item<float>(),
                      static_cast<std::int32_t>(c)});
  }
  return wanted;
}

std::atomic<int> operators{0};

std::unique_ptr<at::ObserverContext> count_operator(const at::RecordFunction&) {
  ++operators;
  return nullptr;
}

int operators_of(const Candidates& candidates) {
  operators = 0;
  const auto counting = at::addGlobalCallback(
      at::RecordFunctionCallback(count_operator).scopes({at::RecordScope::FUNCTION}));
  suppress(candidates, {});
  at::removeCallback(counting);
  return operators;
}

}  // namespace

TEST_CASE("what a device is given to do does not grow with the number of detections") {
  const int few = operators_of(drawn(3, 20, 2));
  CHECK(few > 0);
  CHECK(operators_of(drawn(3, 400, 2)) == few);
}

TEST_CASE("overlapping boxes of one class: the better one stays; of two classes: both") {
  // IoU of the first two: 90 / 110 = 0.818; of the first and third: 0
  const std::vector<std::vector<float>> boxes{{0, 0, 10, 10}, {0, 1, 10, 11}, {50, 50, 60, 60}};
  const DetectionOptions options{.confidence = 0.1f, .iou = 0.6f};
  const auto same = suppress(one_picture(boxes, {{0.8f, 0}, {0.9f, 0}, {0.3f, 0}}), options);
  CHECK(same[0] == std::vector<Detection>{{0, 1, 10, 11, 0.9f, 0}, {50, 50, 60, 60, 0.3f, 0}});
  const auto different = suppress(one_picture(boxes, {{0.8f, 0}, {0, 0.9f}, {0, 0}}), options);
  CHECK(different[0] == std::vector<Detection>{{0, 1, 10, 11, 0.9f, 1}, {0, 0, 10, 10, 0.8f, 0}});
  const auto tolerant = suppress(one_picture(boxes, {{0.8f, 0}, {0.9f, 0}, {0, 0}}),
                                 {.confidence = 0.1f, .iou = 0.82f});
  CHECK(tolerant[0].size() == 2);
}

TEST_CASE("a box that only a suppressed one covers stays") {
  // chain: IoU of neighbours 60 / 140 = 0.43, of the ends 20 / 180 = 0.11
  const auto found = suppress(
      one_picture({{0, 0, 10, 10}, {4, 0, 14, 10}, {8, 0, 18, 10}}, {{0.9f}, {0.8f}, {0.7f}}),
      {.confidence = 0.1f, .iou = 0.4f});
  CHECK(found[0] == std::vector<Detection>{{0, 0, 10, 10, 0.9f, 0}, {8, 0, 18, 10, 0.7f, 0}});
}

TEST_CASE(
    "a box is a candidate in every class above the confidence, and a score at it is not above") {
  const auto found =
      suppress(one_picture({{0, 0, 10, 10}}, {{0.5f, 0.75f, 0.25f}}), {.confidence = 0.25f});
  CHECK(found[0] == std::vector<Detection>{{0, 0, 10, 10, 0.75f, 1}, {0, 0, 10, 10, 0.5f, 0}});
}

TEST_CASE("of equal scores the lower box comes first, and of one box the lower class") {
  const auto found = suppress(one_picture({{0, 0, 10, 10}, {1, 0, 11, 10}, {40, 0, 50, 10}},
                                          {{0, 0.5f}, {0, 0.5f}, {0.5f, 0.5f}}),
                              {.confidence = 0.1f, .iou = 0.5f});
  CHECK(found[0] == std::vector<Detection>{{0, 0, 10, 10, 0.5f, 1},
                                           {40, 0, 50, 10, 0.5f, 0},
                                           {40, 0, 50, 10, 0.5f, 1}});
}

TEST_CASE("drawn cases with many ties give what the textbook's loop gives") {
  for (const nlohmann::json& made : golden_json("detection/detection")["cases"]) {
    CAPTURE(made["seed"].get<int>());
    const Candidates candidates = drawn(made["seed"], made["n"], made["classes"]);
    const auto found = suppress(candidates, options_of(made));
    REQUIRE(found.size() == 1);
    CHECK(found[0] == wanted_of(made, candidates));
  }
}

TEST_CASE(
    "class, agnostic, DIoU and soft suppression keep what loops after the papers' formulas keep") {
  std::ifstream file(std::string(LETTERPRESS_SOURCE_DIR) +
                     "/tests/golden/detection/suppression.json");
  for (const nlohmann::json& made : nlohmann::json::parse(file)) {
    CAPTURE(made["suppression"].get<std::string>());
    CAPTURE(made["seed"].get<int>());
    Draw draw(made["seed"]);
    std::vector<std::vector<float>> boxes, scores;
    for (std::int64_t i = 0; i < made["n"].get<std::int64_t>(); ++i) {
      const float x = draw(60), y = draw(60), w = 1 + draw(40), h = 1 + draw(40);
      boxes.push_back({x, y, x + w, y + h});
      scores.emplace_back();
      for (std::int64_t c = 0; c < made["classes"].get<std::int64_t>(); ++c)
        scores.back().push_back((1 + draw(9973)) / 10000);
    }
    const auto found = suppress(one_picture(boxes, scores),
                                {.confidence = made["confidence"],
                                 .iou = made["iou"],
                                 .max_detections = 1000,
                                 .suppression = made["suppression"].get<std::string>()});
    REQUIRE(found[0].size() == made["kept"].size());
    for (std::size_t i = 0; i < found[0].size(); ++i) {
      CAPTURE(i);
      const std::vector<float>& box = boxes[made["kept"][i][0].get<std::size_t>()];
      const Detection& one = found[0][i];
      CHECK(std::vector<float>{one.x1, one.y1, one.x2, one.y2} == box);
      CHECK(one.class_id == made["kept"][i][1].get<int>());
      CHECK(one.score == doctest::Approx(made["kept"][i][2].get<double>()).epsilon(1e-5));
    }
  }
}

TEST_CASE("a class may have its own threshold, which applies before suppression") {
  // Both classes see the same thing; alone, the second would be dropped across classes.
  const std::vector<std::vector<float>> boxes{{0, 0, 10, 10}, {0, 0, 10, 9}};
  const std::vector<std::vector<float>> scores{{0.6f, 0}, {0, 0.4f}};
  const DetectionOptions strict{
      .iou = 0.5f, .suppression = "agnostic", .class_confidence = {0.7f, 0.3f}};
  CHECK(suppress(one_picture(boxes, scores), strict)[0] ==
        std::vector<Detection>{{0, 0, 10, 9, 0.4f, 1}});
  const DetectionOptions same{
      .iou = 0.5f, .suppression = "agnostic", .class_confidence = {0.3f, 0.3f}};
  CHECK(suppress(one_picture(boxes, scores), same)[0] ==
        std::vector<Detection>{{0, 0, 10, 10, 0.6f, 0}});
  CHECK_THROWS_WITH_AS(suppress(one_picture(boxes, scores), {.class_confidence = {0.5f}}),
                       "detection: class_confidence has 1 scores, the model 2 classes", Error);
}

TEST_CASE("pictures do not affect one another, for any number of threads") {
  const Candidates a = drawn(3, 120, 2), b = drawn(5, 120, 2);
  Candidates both{torch::cat({a.boxes, torch::zeros({1, 120, 4}), b.boxes}),
                  torch::cat({a.scores, torch::zeros({1, 120, 2}), b.scores})};
  const int before = at::get_num_threads();
  for (const int threads : {1, 4}) {
    CAPTURE(threads);
    at::set_num_threads(threads);
    const auto found = suppress(both, {});
    REQUIRE(found.size() == 3);
    CHECK(found[0] == suppress(a, {})[0]);
    CHECK(found[1].empty());
    CHECK(found[2] == suppress(b, {})[0]);
  }
  at::set_num_threads(before);
}

TEST_CASE("only the best candidates enter and only the best detections leave") {
  const Candidates candidates =
      one_picture({{0, 0, 1, 1}, {10, 0, 11, 1}, {20, 0, 21, 1}}, {{0.5f}, {0.9f}, {0.7f}});
  CHECK(suppress(candidates, {.max_detections = 1})[0] ==
        std::vector<Detection>{{10, 0, 11, 1, 0.9f, 0}});
  CHECK(suppress(candidates, {.max_candidates = 2})[0] ==
        std::vector<Detection>{{10, 0, 11, 1, 0.9f, 0}, {20, 0, 21, 1, 0.7f, 0}});
}

TEST_CASE("a NaN score is not a candidate, a box without area suppresses nothing") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto found = suppress(
      one_picture({{0, 0, 9, 9}, {5, 5, 5, 5}, {5, 5, 5, 5}}, {{nan}, {0.9f}, {0.8f}}), {});
  CHECK(found[0].size() == 2);
}

TEST_CASE("without points there is no detection") {
  const auto found = suppress({torch::zeros({2, 0, 4}), torch::zeros({2, 0, 3})}, {});
  REQUIRE(found.size() == 2);
  CHECK(found[0].empty());
  CHECK(found[1].empty());
}

TEST_CASE("wrong detection options are named with their limits") {
  CHECK_NOTHROW(validate(DetectionOptions{}));
  CHECK_THROWS_WITH_AS(validate(DetectionOptions{.confidence = 1}),
                       "detection: confidence is 1, must be 0 or more and under 1", Error);
  CHECK_THROWS_WITH_AS(validate(DetectionOptions{.iou = 0}),
                       "detection: iou is 0, must be over 0 and at most 1", Error);
  CHECK_THROWS_WITH_AS(validate(DetectionOptions{.max_detections = 0}),
                       "detection: max_detections is 0, must be 1 or more", Error);
  CHECK_THROWS_WITH_AS(
      validate(DetectionOptions{.suppression = "sof"}),
      "unknown suppression 'sof'; did you mean 'soft'? known: soft, diou, class, agnostic", Error);
  CHECK_THROWS_WITH_AS(validate(DetectionOptions{.class_confidence = {0.5f, 1}}),
                       "detection: class_confidence is 1, must be 0 or more and under 1", Error);
  CHECK_THROWS_WITH_AS(validate(DetectionOptions{.max_candidates = 0}),
                       "detection: max_candidates is 0, must be 1 or more", Error);
}
