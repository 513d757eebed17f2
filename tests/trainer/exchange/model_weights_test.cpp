#include "trainer/exchange/model_weights.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "letterpress/base/error.h"
#include "tests/message_of.h"
#include "trainer/exchange/letterbox_of.h"
#include "trainer/exchange/weight_order.h"

namespace letterpress {
namespace {

WeightFile stream_of(std::size_t values) {
  return {.format = "darknet",
          .arrays = {{.name = "values",
                      .role = WeightRole::stream,
                      .shape = {static_cast<std::int64_t>(values)},
                      .values = std::vector<float>(values, 1)}},
          .norm_epsilon = 1e-6};
}

ModelWeights weights_of(WeightFile file, const std::string& model) {
  return model_weights(std::move(file), model, 0, "f");
}

WeightArray array(const std::string& layer, const std::string& part, WeightRole role,
                  std::vector<std::int64_t> shape, float value) {
  std::size_t n = 1;
  for (const std::int64_t size : shape) n *= static_cast<std::size_t>(size);
  return {.name = layer + "." + part,
          .layer = layer,
          .role = role,
          .shape = std::move(shape),
          .values = std::vector<float>(n, value)};
}

const WeightRow& row_of(const std::vector<WeightRow>& rows, const std::string& source_or_target) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const WeightRow& row) {
    return row.source == source_or_target || row.target == source_or_target;
  });
  REQUIRE_MESSAGE(found != rows.end(), source_or_target);
  return *found;
}

}  // namespace

TEST_CASE("the published Darknet files fit by their numbers of values alone") {
  // (bytes of the published file - 20 bytes of header) / 4: yolov3-tiny.weights has 35,434,956
  // bytes.
  const ModelWeights tiny = weights_of(stream_of((35'434'956 - 20) / 4), "yolov3-tiny");
  CHECK(tiny.graph.classes == 80);
  CHECK(tiny.has_outputs);
  CHECK(tiny.tensors.size() == 11 * 5 + 2 * 2);
  CHECK(tiny.rows.size() == tiny.tensors.size());
  // darknet53.conv.74 has 162,482,580 bytes: the 52 convolutions of the backbone.
  const ModelWeights backbone = weights_of(stream_of((162'482'580 - 20) / 4), "yolov3");
  CHECK_FALSE(backbone.has_outputs);
  CHECK(backbone.tensors.size() == 52 * 5);
  CHECK(backbone.tensors.contains("stage5_block4_expand.weight"));
  CHECK_FALSE(backbone.tensors.contains("scale32_conv1.weight"));
}

TEST_CASE(
    "a Darknet file that ends with a convolution is a backbone; what is missing is in the table") {
  // First convolution of yolov3-tiny.cfg: 16 filters of 3x3x3, four values of a norm each.
  const ModelWeights first = weights_of(stream_of(16 * 27 + 16 * 4), "yolov3-tiny");
  CHECK_FALSE(first.has_outputs);
  CHECK(first.tensors.size() == 5);
  CHECK(row_of(first.rows, "conv1.weight").source == "convolution 0 weight");
  const WeightRow& missing = row_of(first.rows, "scale16_output.bias");
  CHECK(missing.source.empty());
  CHECK(missing.note == "not in the file");
  CHECK(message_of([] { weights_of(stream_of(16 * 27 + 16 * 4 + 1), "yolov3-tiny"); }) ==
        "65 f: holds 497 values; yolov3-tiny has 8676244 with one class and 2310 more for each "
        "other, and no whole number of its first "
        "layers fits either; the file was cut, or is of another model");
}

TEST_CASE(
    "variances change by the difference of the epsilons, so that variance + epsilon stays the "
    "same") {
  const ModelWeights darknet = weights_of(stream_of(16 * 27 + 16 * 4), "yolov3-tiny");
  CHECK(darknet.tensors.at("conv1.norm.var").values.front() == doctest::Approx(1 + 1e-6 - 1e-3));
  CHECK(darknet.tensors.at("conv1.norm.mean").values.front() == 1);
  CHECK(model_weights(stream_of(16 * 27 + 16 * 4), "yolov3-tiny", 0.5, "f")
            .tensors.at("conv1.norm.var")
            .values.front() == doctest::Approx(1.499));
}

TEST_CASE(
    "our own names are matched in any order; arrays that the model does not have are left out with "
    "the reason") {
  WeightFile file{.format = "safetensors", .arrays = {}};
  file.arrays.push_back(array("conv2.norm", "var", WeightRole::other, {32}, 2));
  file.arrays.push_back(array("conv1", "weight", WeightRole::kernel, {16, 3, 3, 3}, 3));
  file.arrays.push_back(array("extra", "weight", WeightRole::kernel, {1, 1, 1, 1}, 4));
  file.arrays.push_back({.name = "steps", .role = WeightRole::other});
  const ModelWeights weights = weights_of(file, "yolov3-tiny");
  CHECK(weights.tensors.size() == 2);
  CHECK(weights.tensors.at("conv2.norm.var").values.front() == 2);
  CHECK(row_of(weights.rows, "extra.weight").note == "left out: yolov3-tiny has no such layer");
  CHECK(row_of(weights.rows, "steps").note == "left out: a counter, or empty");
  const std::vector<WeightRow> two(weights.rows.begin(), weights.rows.begin() + 3);
  CHECK(to_text(two) ==
        "conv2.norm.var  [32]           -> conv2.norm.var\n"
        "conv1.weight    [16, 3, 3, 3]  -> conv1.weight\n"
        "extra.weight    [1, 1, 1, 1]   -  left out: yolov3-tiny has no such layer\n");
}

TEST_CASE(
    "a model for small whole pictures is read like the others: its classes are those of its last "
    "layer") {
  WeightFile file{.format = "safetensors", .arrays = {}};
  const auto shapes = tensor_shapes(make_model("minigooglenet", {.classes = 3, .side = 96}));
  for (const auto& [name, shape] : shapes) {
    const std::size_t end = name.find('.');
    file.arrays.push_back(
        array(name.substr(0, end), name.substr(end + 1), WeightRole::other, shape, 1));
  }
  const ModelWeights weights = weights_of(file, "minigooglenet");
  CHECK(weights.has_outputs);
  CHECK(weights.graph.classes == 3);
  CHECK(weights.tensors.size() == shapes.size());
}

TEST_CASE("arrays of other names are matched by order, and their shapes must fit") {
  WeightFile file{.format = "keras", .arrays = {}, .norm_epsilon = 1e-3};
  file.arrays.push_back(array("a.bn", "weight", WeightRole::gamma, {16}, 1));
  file.arrays.push_back(array("a.conv", "weight", WeightRole::kernel, {16, 3, 3, 3}, 2));
  file.arrays.push_back(array("b.conv", "weight", WeightRole::kernel, {32, 16, 3, 3}, 3));
  file.arrays.push_back(array("b.bn", "running_mean", WeightRole::mean, {32}, 4));
  const ModelWeights weights = weights_of(file, "yolov3-tiny");
  CHECK(weights.tensors.at("conv1.norm.weight").source == "a.bn.weight");
  CHECK(weights.tensors.at("conv2.weight").source == "b.conv.weight");
  CHECK(weights.tensors.at("conv2.norm.mean").values.front() == 4);
  std::swap(file.arrays[1], file.arrays[2]);
  CHECK(message_of([&] { weights_of(file, "yolov3-tiny"); }) ==
        "65 f: b.conv.weight is [32, 16, 3, 3] in the place of conv1.weight, which is [16, 3, 3, "
        "3] in yolov3-tiny; is it of another model?");
  CHECK(message_of([] {
          weights_of({.format = "pytorch", .arrays = {{.name = "x"}}}, "yolov3-tiny");
        }) == "65 f: holds nothing that yolov3-tiny has; is it of another model?");
}

TEST_CASE("activations of a whole network that are not the model's are refused with their name") {
  WeightFile file{.format = "pytorch", .arrays = {}, .norm_epsilon = 1e-5};
  file.arrays.push_back(array("a.conv", "weight", WeightRole::kernel, {16, 3, 3, 3}, 2));
  const auto with = [&](const std::string& kind, std::vector<double> slope) {
    file.modules = {{.name = "a.act", .kind = "torch.nn.modules.activation." + kind}};
    if (!slope.empty()) file.modules[0].numbers["negative_slope"] = std::move(slope);
    return message_of([&] { weights_of(file, "yolov3-tiny"); });
  };
  CHECK(with("LeakyReLU", {0.1}) == "no error");
  CHECK(with("LeakyReLU", {0.01}) ==
        "78 f: at its a.act there is a LeakyReLU of slope 0.01, which yolov3-tiny has nowhere: it "
        "would "
        "compute other numbers; train yolov3-tiny anew, or name the file's own model with "
        "--model");
  for (const std::string kind : {"SiLU", "ReLU", "Mish"}) {
    CAPTURE(kind);
    CHECK(with(kind, {}).starts_with("78 f: at its a.act there is a " + kind + ", which"));
  }
}

TEST_CASE("an output layer whose channels do not give a number of classes is refused") {
  WeightFile file{.format = "safetensors", .arrays = {}};
  file.arrays.push_back(array("scale32_output", "bias", WeightRole::bias, {25}, 1));
  file.arrays.push_back(array("scale32_output", "weight", WeightRole::kernel, {25, 512, 1, 1}, 1));
  CHECK(message_of([&] { weights_of(file, "yolov3-tiny"); }) ==
        "65 f: scale32_output.weight has 25 channels in the place of scale32_output.weight, which "
        "has 5 and the classes for each of 3 "
        "anchors; "
        "is it of another model?");
}

TEST_CASE("letterbox systems are those of their programs; an unknown one lists them") {
  CHECK(to_json(letterbox_of("keras-yolo3")) ==
        R"({"scale":"fit","rounding":"truncate","place":"centre","fill":128,"resize":"cubic"})");
  CHECK(letterbox_of("ultralytics") == LetterboxRule{});
  CHECK(to_json(letterbox_of("yolox")) ==
        R"({"scale":"fit","rounding":"truncate","place":"top_left","fill":114,"resize":"linear"})");
  CHECK(message_of([] { letterbox_of("yolo"); }) ==
        "64 unknown letterbox system 'yolo'; did you mean 'yolox'? known: yolox, keras-yolo3, "
        "ultralytics");
}

}  // namespace letterpress
