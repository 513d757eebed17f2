#include "trainer/fit/opening/step_memory.h"

#include <doctest/doctest.h>

#include "trainer/network/freeze.h"

using namespace letterpress;

namespace {

std::int64_t mebibytes(const char* model, const ForwardPass& pass) {
  return kept_outputs(make_model(model, {.classes = 1, .side = pass.side}), pass) >> 20;
}

}  // namespace

TEST_CASE("what a step keeps is, within an eighth, what `fit --dry-run` measures on a CPU") {
  const auto near = [](double measured) { return doctest::Approx(measured).epsilon(0.125); };
  CHECK(mebibytes("yolov8n", {.side = 256, .pictures = 16}) == near(478));
  CHECK(mebibytes("yolov8n", {.side = 640, .pictures = 4}) == near(766));
  CHECK(mebibytes("yolov8n", {.side = 416, .pictures = 16, .value_bytes = 2}) == near(695));
  CHECK(mebibytes("yolo11n", {.side = 256, .pictures = 16}) == near(547));
  CHECK(mebibytes("yolov8s", {.side = 320, .pictures = 8}) == near(710));
  CHECK(mebibytes("yolov3-tiny", {.side = 256, .pictures = 16}) == near(429));
}

TEST_CASE("outputs in front of the first layer that trains are not kept") {
  const Graph graph = make_model("yolov8n", {.classes = 1, .side = 64});
  ForwardPass pass{.side = 64, .pictures = 1};
  const std::int64_t whole = kept_outputs(graph, pass);
  pass.frozen = layers_to_freeze(graph, "all-but-head");
  CHECK(kept_outputs(graph, pass) > 0);
  CHECK(kept_outputs(graph, pass) < whole / 4);
}

TEST_CASE("where memory is scarce: what a step takes, and the parts that fit") {
  const Graph graph = make_model("yolov8n", {.classes = 1, .side = 640});
  const ForwardPass pass{.side = 640, .pictures = 12};
  const std::int64_t kept = kept_outputs(graph, pass), third = kept / 3 + 1;
  const auto said = [&](const BatchParts& step, std::int64_t free) {
    return scarce_memory(graph, pass, step, free).value_or("");
  };
  CHECK(said({12, 1, 1}, kept).empty());
  CHECK(said({12, 1, 1}, 0).empty());  // not known
  const std::string text = said({12, 1, 1}, third);
  CHECK_MESSAGE(text.starts_with("memory: 12 pictures at side 640 take about 2."), text);
  CHECK_MESSAGE(text.ends_with(" are free: --accumulate 3 takes fewer at a time"), text);
  // Of 10 pictures the least divisor that fits is 5; 2 parts become 6; 4 ranks have 3 pictures
  // each.
  CHECK(said({10, 1, 1}, third).find("--accumulate 5 ") != std::string::npos);
  CHECK(said({24, 1, 2}, third).find("--accumulate 6 ") != std::string::npos);
  CHECK(said({12, 4, 1}, third).find("--accumulate 3 ") != std::string::npos);
  CHECK(said({12, 6, 1}, third).find("a smaller --input-size") != std::string::npos);
}
