#include "trainer/openvino/openvino_network.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "letterpress/models/onnx.h"
#include "tests/scoped_variable.h"
#include "tests/temp_dir.h"
#include "tests/trainer/openvino/openvino_here.h"

using namespace letterpress;

namespace {

constexpr int kSide = 32;
constexpr std::size_t kPixels = std::size_t{kSide} * kSide;

// Two outputs of each pixel: R + 2 G - B + 0.5, and twice that where it is positive, a tenth else.
std::string small_network(int batch = 1) {
  Graph graph{.model = "small", .classes = 1, .side = kSide};
  graph.layers = {
      {.name = "images", .channels = 3},
      {.name = "mixed", .kind = LayerKind::conv, .inputs = {0}, .channels = 1},
      {.name = "doubled",
       .kind = LayerKind::conv,
       .inputs = {1},
       .channels = 1,
       .activation = Activation::leaky_relu},
      {.name = "a", .kind = LayerKind::head, .inputs = {1}, .channels = 1, .head_stride = 1},
      {.name = "b", .kind = LayerKind::head, .inputs = {2}, .channels = 1, .head_stride = 1}};
  graph.outputs = {3, 4};
  return to_onnx(graph,
                 {{"mixed.weight", {1, 2, -1}},
                  {"mixed.bias", {0.5f}},
                  {"doubled.weight", {2}},
                  {"doubled.bias", {0}}},
                 {.output = OnnxOutput::raw, .batch = batch});
}

// Of all pixels of picture i.
constexpr float red(std::size_t i) { return 0.25f * static_cast<float>(i); }
constexpr float kGreen = 0.125f, kBlue = 2;

const OpenVinoInput kInput{.name = "images", .shape = {1, 3, kSide, kSide}};

}  // namespace

TEST_CASE("each picture gets its own values, by hand, however many are computed at once" *
          doctest::test_suite("needs OpenVINO")) {
  if (!openvino_is_here()) return;
  for (const int at_once : {1, 2, 3, 8}) {
    CAPTURE(at_once);
    const int batch = at_once == 3 ? 0 : 1;  // a model of any number of pictures runs them singly
    OpenVinoNetwork network(small_network(batch), kInput, {"b", "a"},
                            {.threads = 3, .at_once = at_once});
    for (const std::size_t n : {std::size_t{7}, std::size_t{1}, std::size_t{0}}) {
      std::vector<std::size_t> taken;
      network.run(
          n,
          [](std::size_t i, std::span<float> input) {
            REQUIRE(input.size() == 3 * kPixels);
            std::ranges::fill(input.first(kPixels), red(i));
            std::ranges::fill(input.subspan(kPixels, kPixels), kGreen);
            std::ranges::fill(input.last(kPixels), kBlue);
          },
          [&](std::size_t i, std::size_t output, std::span<const float> values) {
            REQUIRE(values.size() == kPixels);
            const float mixed = 0.25f * static_cast<float>(i) - 1.25f,  // .25 i + .25 - 2 + .5
                doubled = mixed > 0 ? 2 * mixed : 0.2f * mixed;
            for (const float value : values)
              CHECK(value == doctest::Approx(output == 0 ? doubled : mixed).epsilon(1e-6));
            taken.push_back(2 * i + output);
          });
      std::vector<std::size_t> all(2 * n);
      std::iota(all.begin(), all.end(), 0U);
      CHECK(taken == all);
    }
  }
}

TEST_CASE("what OpenVINO cannot read is refused with its reason" *
          doctest::test_suite("needs OpenVINO")) {
  if (!openvino_is_here()) return;
  CHECK_THROWS_WITH_AS(OpenVinoNetwork("hello", kInput, {"a"}, {}),
                       doctest::Contains("OpenVINO: the model cannot be read: "), Error);
  CHECK_THROWS_WITH_AS(OpenVinoNetwork(small_network(), {"pictures", kInput.shape}, {"a"}, {}),
                       doctest::Contains("OpenVINO: pictures: "), Error);
}

TEST_CASE("the version is three numbers" * doctest::test_suite("needs OpenVINO")) {
  if (!openvino_is_here()) return;
  const std::string version = OpenVinoNetwork::version();
  CHECK(std::ranges::count(version, '.') == 2);
  CHECK(version.find_first_not_of("0123456789.") == std::string::npos);
}
