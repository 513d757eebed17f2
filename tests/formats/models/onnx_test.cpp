#include "letterpress/models/onnx.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "letterpress/models/graph.h"
#include "tests/message_of.h"
#include "tests/read_by_python.h"
#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

// One cell of the coarsest head, four of the next, sixteen of the finest.
constexpr int kSide = 32, kClasses = 2;
constexpr float kLifted = 4;

std::vector<float> values(std::int64_t n, float value) {
  return std::vector<float>(static_cast<std::size_t>(n), value);
}

// All zero, so that a head's logits are its biases, whatever the picture and the layers before it.
GraphWeights zeros(const Graph& graph) {
  GraphWeights weights;
  for (const Layer& layer : graph.layers) {
    if (layer.kind != LayerKind::conv && layer.kind != LayerKind::linear) continue;
    const int window = layer.kind == LayerKind::conv ? layer.kernel * layer.kernel : 1;
    weights[layer.name + ".weight"] =
        values(std::int64_t{layer.channels} * kernel_channels(graph, layer) * window, 0);
    if (!layer.norm) {
      weights[layer.name + ".bias"] = values(layer.channels, 0);
      continue;
    }
    for (const char* tensor : {".norm.bias", ".norm.mean"})
      weights[layer.name + tensor] = values(layer.channels, 0);
    for (const char* tensor : {".norm.weight", ".norm.var"})
      weights[layer.name + tensor] = values(layer.channels, 1);
  }
  return weights;
}

// In the coarsest head the last class is lifted, with anchors that of the last one and its
// objectness.
GraphWeights one_found(const Graph& graph) {
  GraphWeights weights = zeros(graph);
  const Layer& head = graph.layers[static_cast<std::size_t>(graph.outputs.front())];
  const Layer& last = graph.layers[static_cast<std::size_t>(head.inputs.back())];
  std::vector<float>& bias = weights.at(last.name + ".bias");
  bias.back() = kLifted;
  if (!head.anchor_mask.empty()) bias[bias.size() - 1 - kClasses] = kLifted;
  return weights;
}

Graph model(const std::string& name) {
  ModelOptions options{.classes = kClasses, .side = kSide};
  if (name == "yolov3-tiny") options.anchors = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
  return make_model(name, options);
}

void write(const TempDir& dir, const std::string& name, const OnnxOptions& options,
           const std::string& kind) {
  const Graph graph = model(name);
  dir.write(name + "." + kind + ".onnx", to_onnx(graph, one_found(graph), options));
}

}  // namespace

TEST_CASE("what an ONNX model of zero weights returns is what is said by hand, in onnxruntime") {
  const TempDir dir;
  for (const std::string name : {"yolov3-tiny", "yolov8n", "yolo11n"}) {
    write(dir, name, {.output = OnnxOutput::raw}, "raw");
    write(dir, name, {.metadata = {{"note", "by hand"}}}, "decoded");
    write(dir, name, {.half = true}, "decoded-half");
    write(dir, name, {.output = OnnxOutput::ultralytics, .batch = 2}, "ultralytics");
    write(dir, name, {.output = OnnxOutput::detections, .confidence = 0.6f}, "detections");
    write(dir, name, {.output = OnnxOutput::detections, .confidence = 0.6f, .agnostic = true},
          "detections-agnostic");
  }
  const Graph classifier = make_model("minigooglenet", {.classes = kClasses, .side = kSide});
  dir.write("minigooglenet.raw.onnx",
            to_onnx(classifier, one_found(classifier), {.output = OnnxOutput::raw}));
  check_read_by_python("tests/formats/models/run_onnx.py", dir.path());
}

TEST_CASE("an ONNX model is refused with the tensor or the head that does not fit") {
  const Graph graph = model("yolov3-tiny");
  GraphWeights weights = zeros(graph);
  const std::string name = graph.layers[1].name + ".weight";
  const std::string size = std::to_string(weights.at(name).size());
  weights.at(name).pop_back();
  CHECK(message_of([&] { to_onnx(graph, weights, {}); }).find(name + " has ") != std::string::npos);
  CHECK(message_of([&] { to_onnx(graph, weights, {}); }).find("must be " + size) !=
        std::string::npos);
  weights.erase(name);
  CHECK(message_of([&] { to_onnx(graph, weights, {}); }).find(name + " is missing") !=
        std::string::npos);
  weights = zeros(graph);
  weights.at(name).front() = 1e6f;
  CHECK(message_of([&] { to_onnx(graph, weights, {.half = true}); }).find("float16") !=
        std::string::npos);
  const Graph classifier = make_model("minigooglenet", {.classes = kClasses, .side = kSide});
  CHECK_THROWS_AS(to_onnx(classifier, zeros(classifier), {.output = OnnxOutput::decoded}), Error);
}
