#include "trainer/exchange/start_weights.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "letterpress/base/error.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"
#include "trainer/checkpoint/network_weights.h"

namespace letterpress {
namespace {

std::shared_ptr<Network> tiny(int classes, std::uint64_t seed) {
  auto network =
      std::make_shared<Network>(make_model("yolov3-tiny", {.classes = classes, .side = 64}));
  network->initialise(seed);
  return network;
}

/// Output kernels and biases count their rows, so that it is seen which row went where.
StartWeights start_of(const std::vector<std::string>& classes) {
  const auto network = tiny(static_cast<int>(classes.size()), 7);
  Checkpoint checkpoint;
  checkpoint.info.graph = network->graph();
  checkpoint.info.classes = classes;
  checkpoint.tensors = collect_weights(*network);
  const std::int64_t rows = 3 * (5 + static_cast<std::int64_t>(classes.size()));
  for (const char* layer : {"scale32_output", "scale16_output"}) {
    const torch::Tensor count = torch::arange(rows, torch::kFloat);
    checkpoint.tensors[std::string(layer) + ".bias"] = count;
    torch::Tensor& weight = checkpoint.tensors[std::string(layer) + ".weight"];
    weight = count.view({-1, 1, 1, 1}).expand_as(weight).clone();
  }
  checkpoint.tensors["train.conv1.weight"] = torch::ones({1});
  return start_weights_of(checkpoint, "old.safetensors");
}

std::vector<float> bias_of(const Network& network) {
  const torch::Tensor bias = collect_weights(network).at("scale32_output.bias");
  return {bias.const_data_ptr<float>(), bias.const_data_ptr<float>() + bias.numel()};
}

const WeightRow& row_into(const std::vector<WeightRow>& rows, const std::string& target) {
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const WeightRow& row) { return row.target == target; });
}

}  // namespace

TEST_CASE("name: classes keep their rows by name when others come, go and change places") {
  const StartWeights start =
      start_of({"red", "green"});  // per anchor 7 rows: 5 of the box, red, green
  const auto network = tiny(3, 8);
  const std::vector<float> before = bias_of(*network);
  const auto rows = load_start_weights(*network, start, {"green", "blue", "red"}, Match::name);
  const std::vector<float> after = bias_of(*network);
  for (std::size_t anchor = 0; anchor < 3; ++anchor) {
    CAPTURE(anchor);
    const auto own = [&](std::size_t row) { return after[anchor * 8 + row]; };
    const auto theirs = [&](std::size_t row) { return static_cast<float>(anchor * 7 + row); };
    for (std::size_t box = 0; box < 5; ++box) CHECK(own(box) == theirs(box));
    CHECK(own(5) == theirs(6));               // green
    CHECK(own(6) == before[anchor * 8 + 6]);  // blue: as it started
    CHECK(own(7) == theirs(5));               // red
  }
  const torch::Tensor kernel = collect_weights(*network).at("scale16_output.weight");
  CHECK(kernel[8 + 7].eq(7 + 5).all().item<bool>());
  CHECK(row_into(rows, "scale32_output.bias").note ==
        "box and objectness rows, rows of green, red; new: blue");
  CHECK(
      torch::equal(collect_weights(*network).at("conv3.weight"), start.tensors.at("conv3.weight")));
  CHECK(loaded_count(rows) == static_cast<std::int64_t>(rows.size()));
}

TEST_CASE(
    "name: equal numbers of other classes do not swap their rows; without names equal shapes are "
    "taken as they are") {
  StartWeights start = start_of({"red", "green"});
  const auto network = tiny(2, 8);
  load_start_weights(*network, start, {"green", "red"}, Match::name);
  CHECK(bias_of(*network)[5] == 6);
  CHECK(bias_of(*network)[6] == 5);
  start.classes.clear();
  load_start_weights(*network, start, {"green", "red"}, Match::name);
  CHECK(bias_of(*network)[5] == 5);
  const auto three = tiny(3, 8);
  const auto rows = load_start_weights(*three, start, {"green", "red", "blue"}, Match::name);
  CHECK(bias_of(*three)[4] == 4);
  CHECK(row_into(rows, "scale32_output.bias").note ==
        "box and objectness rows; the file's 2 classes have no names, `import` gives them some");
}

TEST_CASE("name: without anchors the class branch's rows go by name, the box branch's stay whole") {
  const auto theirs = std::make_shared<Network>(make_model("yolov8n", {.classes = 2, .side = 64}));
  theirs->initialise(7);
  Checkpoint checkpoint;
  checkpoint.info.graph = theirs->graph();
  checkpoint.info.classes = {"red", "green"};
  checkpoint.tensors = collect_weights(*theirs);
  checkpoint.tensors["head8_class_output.bias"] = torch::tensor({1.f, 2.f});
  Network own(make_model("yolov8n", {.classes = 3, .side = 64}));
  own.initialise(8);
  const float fresh = collect_weights(own).at("head8_class_output.bias")[1].item<float>();
  const auto rows = load_start_weights(own, start_weights_of(checkpoint, "old.safetensors"),
                                       {"green", "blue", "red"}, Match::name);
  CHECK(torch::equal(collect_weights(own).at("head8_class_output.bias"),
                     torch::tensor({2.f, fresh, 1.f})));
  CHECK(torch::equal(collect_weights(own).at("head8_box_output.weight"),
                     checkpoint.tensors.at("head8_box_output.weight")));
  CHECK(row_into(rows, "head8_class_output.bias").note == "rows of green, red; new: blue");
}

TEST_CASE("shape: tensors of another shape are skipped; strict: then nothing is loaded") {
  const StartWeights start = start_of({"red", "green"});
  const auto network = tiny(3, 8);
  const std::vector<float> before = bias_of(*network);
  const torch::Tensor kernel = collect_weights(*network).at("conv1.weight");
  CHECK(message_of([&] {
          load_start_weights(*network, start, {"a", "b", "c"}, Match::strict);
        }) ==
        "78 old.safetensors: 4 tensors do not fit yolov3-tiny with 3 classes: scale16_output.bias "
        "not loaded: the model has [24]; "
        "scale16_output.weight not loaded: the model has [24, 256, 1, 1]; scale32_output.bias not "
        "loaded: the model has [24]; "
        "scale32_output.weight not loaded: the model has [24, 512, 1, 1]; --match shape or name "
        "loads what fits");
  CHECK(torch::equal(kernel, collect_weights(*network).at("conv1.weight")));
  const auto rows = load_start_weights(*network, start, {"a", "b", "c"}, Match::shape);
  CHECK(bias_of(*network) == before);
  CHECK(row_into(rows, "scale32_output.bias").note == "not loaded: the model has [24]");
  CHECK(row_into(rows, "scale32_output.bias").shape == "[21]");
  CHECK(loaded_count(rows) == 11 * 5);
  CHECK_FALSE(torch::equal(kernel, collect_weights(*network).at("conv1.weight")));
  CHECK(load_start_weights(*tiny(2, 8), start, {"red", "green"}, Match::strict).size() ==
        11 * 5 + 2 * 2);
}

TEST_CASE("one of our checkpoints is recognised by its metadata") {
  TempDir dir;
  const auto network = tiny(1, 3);
  Checkpoint checkpoint;
  checkpoint.info.graph = network->graph();
  checkpoint.info.classes = {"part"};
  checkpoint.tensors = collect_weights(*network);
  write_checkpoint(dir / "a.safetensors", checkpoint);
  CHECK(is_checkpoint(dir / "a.safetensors"));
  CHECK_FALSE(is_checkpoint(dir / "none"));
  const StartWeights start = read_start_weights(dir / "a.safetensors", "yolov3");
  CHECK(start.graph.model == "yolov3-tiny");
  CHECK(start.classes == std::vector<std::string>{"part"});
  CHECK(start.format == "letterpress");
}

}  // namespace letterpress
