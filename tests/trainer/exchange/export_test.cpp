// Exported networks, run by onnxruntime and by OpenCV's dnn, give what our own network gives.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/models/darknet.h"
#include "letterpress/weights/darknet.h"
#include "tests/message_of.h"
#include "tests/read_by_python.h"
#include "tests/temp_dir.h"
#include "tests/trainer/exchange/exported_case.h"
#include "trainer/detection/decode.h"
#include "trainer/exchange/exporter.h"

namespace letterpress {
namespace {

const std::vector<std::string> kClasses{"röd", "green \"light\"", "blue"};
const std::string kScript = "tests/trainer/exchange/run_exported.py";

std::map<std::string, torch::Tensor> expected_of(Network& network, const torch::Tensor& images) {
  torch::NoGradGuard no_gradient;
  std::map<std::string, torch::Tensor> expected{{"images", images}};
  const std::vector<torch::Tensor> outputs = network.forward(images);
  const Graph& graph = network.graph();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    expected["raw." + graph.layers[static_cast<std::size_t>(graph.outputs[i])].name] = outputs[i];
  return expected;
}

/// float32 [n, 7] as OnnxOutput::detections, in another order.
torch::Tensor detections_of(const Candidates& candidates, const OnnxOptions& options,
                            const char* suppression) {
  std::vector<torch::Tensor> rows;
  const auto pictures = suppress(candidates, {.confidence = options.confidence,
                                              .iou = options.iou,
                                              .max_detections = 100000,
                                              .suppression = suppression});
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    for (const Detection& found : pictures[i]) {
      rows.push_back(torch::tensor({static_cast<float>(i), found.x1, found.y1, found.x2, found.y2,
                                    found.score, static_cast<float>(found.class_id)}));
    }
  }
  return torch::stack(rows);
}

/// expected.safetensors: also decoded and suppressed.
void write_expected(const TempDir& dir, Network& network, const torch::Tensor& images,
                    const OnnxOptions& options) {
  torch::NoGradGuard no_gradient;
  std::map<std::string, torch::Tensor> expected = expected_of(network, images);
  const Candidates candidates =
      decode_outputs(network.graph(), network.forward(images), network.graph().side);
  expected["boxes"] = candidates.boxes;
  expected["scores"] = candidates.scores;
  for (const char* suppression : {"class", "agnostic"})
    expected[suppression] = detections_of(candidates, options, suppression);
  write_tensors(dir / "expected.safetensors", expected);
}

int add_layer(Graph& graph, Layer layer) {
  layer.stage = "backbone";
  graph.layers.push_back(std::move(layer));
  return static_cast<int>(graph.layers.size()) - 1;
}

/// Convolution, slices, sum, pool, upsampling and concat with uneven padding; returns the last.
int add_odd_backbone(Graph& graph) {
  add_layer(graph, {.name = "input", .channels = 3});
  const int first = add_layer(graph, {.name = "first",
                                      .kind = LayerKind::conv,
                                      .inputs = {0},
                                      .channels = 8,
                                      .kernel = 3,
                                      .stride = 2,
                                      .padding = 0,
                                      .padding_end = 1,
                                      .norm = true,
                                      .norm_epsilon = 1e-3,
                                      .activation = Activation::silu});
  const int left = add_layer(graph, {.name = "left",
                                     .kind = LayerKind::slice,
                                     .inputs = {first},
                                     .channels = 3,
                                     .slice_first = 0});
  const int right = add_layer(graph, {.name = "right",
                                      .kind = LayerKind::slice,
                                      .inputs = {first},
                                      .channels = 3,
                                      .slice_first = 5});
  const int sum = add_layer(graph, {.name = "sum",
                                    .kind = LayerKind::add,
                                    .inputs = {left, right},
                                    .channels = 3,
                                    .activation = Activation::relu});
  const int pool = add_layer(graph, {.name = "pool",
                                     .kind = LayerKind::max_pool,
                                     .inputs = {sum},
                                     .channels = 3,
                                     .kernel = 3,
                                     .stride = 2,
                                     .padding = 0,
                                     .padding_end = 1});
  const int up = add_layer(
      graph,
      {.name = "up", .kind = LayerKind::upsample, .inputs = {pool}, .channels = 3, .stride = 2});
  return add_layer(
      graph, {.name = "join", .kind = LayerKind::concat, .inputs = {up, first}, .channels = 11});
}

/// Every kind of layer and activation that yolov3 and yolov3-tiny lack, with uneven padding.
Graph odd_graph() {
  Graph graph{.model = "odd", .loss = "none", .classes = 5, .side = 32};
  const int join = add_odd_backbone(graph);
  const int mean = add_layer(graph, {.name = "mean",
                                     .kind = LayerKind::average_pool,
                                     .inputs = {join},
                                     .channels = 11,
                                     .kernel = 8,
                                     .stride = 8});
  const int flat = add_layer(
      graph, {.name = "flat", .kind = LayerKind::flatten, .inputs = {mean}, .channels = 44});
  const int drop = add_layer(graph, {.name = "drop",
                                     .kind = LayerKind::dropout,
                                     .inputs = {flat},
                                     .channels = 44,
                                     .dropout = 0.5});
  const int linear = add_layer(
      graph, {.name = "linear", .kind = LayerKind::linear, .inputs = {drop}, .channels = 5});
  graph.outputs = {add_layer(
      graph, {.name = "head", .kind = LayerKind::head, .inputs = {linear}, .channels = 5})};
  validate(graph);
  return graph;
}

}  // namespace

TEST_CASE(
    "yolov3-tiny: raw, decoded, suppressed and float16 ONNX and Darknet files give our own "
    "network's numbers in other programs" *
    doctest::test_suite("needs Python")) {
  TempDir dir;
  const auto network = drawn_network(make_model("yolov3-tiny", {.classes = 3, .side = 64}), 3);
  const Checkpoint checkpoint = checkpoint_of(*network, kClasses);
  OnnxOptions options{.confidence = 0.05f, .iou = 0.4f, .max_detections = 1000};
  write_expected(dir, *network, torch::rand({2, 3, 64, 64}), options);
  const ExporterEntry& onnx = find_exporter("onnx");
  for (const auto& [output, name] :
       {std::pair{OnnxOutput::raw, "raw.onnx"}, std::pair{OnnxOutput::decoded, "decoded.onnx"},
        std::pair{OnnxOutput::detections, "class.onnx"},
        std::pair{OnnxOutput::detections, "agnostic.onnx"}}) {
    options.output = output;
    options.agnostic = std::string(name) == "agnostic.onnx";
    CHECK(onnx.write(checkpoint, dir / name, options) ==
          std::vector<std::filesystem::path>{dir / name});
  }
  onnx.write(checkpoint, dir / "half.onnx", {.output = OnnxOutput::raw, .batch = 2, .half = true});
  const auto darknet = find_exporter("darknet").write(checkpoint, dir / "model.anything", {});
  CHECK(darknet == std::vector<std::filesystem::path>{dir / "model.cfg", dir / "model.weights",
                                                      dir / "model.names"});
  CHECK(read_file(dir / "model.names") == "röd\ngreen \"light\"\nblue\n");
  CHECK(read_darknet_weights(dir / "model.weights").seen == 4321);
  CHECK(std::filesystem::file_size(dir / "half.onnx") * 2 <
        std::filesystem::file_size(dir / "raw.onnx") + 20000);
  check_read_by_python(kScript, dir.path());
}

TEST_CASE("yolov3: residual sums and three scales" * doctest::test_suite("needs Python")) {
  TempDir dir;
  const auto network = drawn_network(make_model("yolov3", {.classes = 3, .side = 64}), 4);
  const Checkpoint checkpoint = checkpoint_of(*network, kClasses);
  write_expected(dir, *network, torch::rand({1, 3, 64, 64}), {.confidence = 0.05f});
  find_exporter("onnx").write(checkpoint, dir / "raw.onnx", {.output = OnnxOutput::raw});
  find_exporter("darknet").write(checkpoint, dir / "model.cfg", {});
  check_read_by_python(kScript, dir.path());
}

TEST_CASE(
    "yolov8n and yolo11n: ONNX raw, decoded, suppressed and in float16 gives our own network's "
    "numbers; Darknet has no section for them" *
    doctest::test_suite("needs Python")) {
  for (const std::string model : {"yolov8n", "yolo11n"}) {
    CAPTURE(model);
    TempDir dir;
    // Norms of few cells magnify the last digits, layer after layer.
    const int side = model == "yolov8n" ? 64 : 160;
    const auto network = drawn_network(make_model(model, {.classes = 3, .side = side}), 6);
    const Checkpoint checkpoint = checkpoint_of(*network, kClasses);
    OnnxOptions options{.confidence = 0.3f, .iou = 0.5f, .max_detections = 1000};
    write_expected(dir, *network, torch::rand({2, 3, side, side}), options);
    const ExporterEntry& onnx = find_exporter("onnx");
    for (const auto& [output, name] :
         {std::pair{OnnxOutput::raw, "raw.onnx"}, std::pair{OnnxOutput::decoded, "decoded.onnx"},
          std::pair{OnnxOutput::detections, "detections.onnx"}}) {
      options.output = output;
      onnx.write(checkpoint, dir / name, options);
    }
    onnx.write(checkpoint, dir / "half.onnx",
               {.output = OnnxOutput::raw, .batch = 2, .half = true});
    check_read_by_python(kScript, dir.path());
    CHECK(message_of([&] { find_exporter("darknet").write(checkpoint, dir / "a", {}); }) ==
          "78 " + model +
              ": layer 1 'stem': Darknet has no section for activation silu; export to ONNX");
  }
}

TEST_CASE("a convolution in groups is the same network in onnxruntime and OpenCV's Darknet reader" *
          doctest::test_suite("needs Python")) {
  TempDir dir;
  Graph graph = make_model("yolov3-tiny", {.classes = 3, .side = 64});
  graph.layers[3].groups = 4;
  REQUIRE(graph.layers[3].kind == LayerKind::conv);
  const auto network = drawn_network(graph, 8);
  const Checkpoint checkpoint = checkpoint_of(*network, kClasses);
  write_expected(dir, *network, torch::rand({1, 3, 64, 64}), {.confidence = 0.05f});
  find_exporter("onnx").write(checkpoint, dir / "raw.onnx", {.output = OnnxOutput::raw});
  find_exporter("darknet").write(checkpoint, dir / "model.cfg", {});
  CHECK(read_file(dir / "model.cfg").find("groups=4\n") != std::string::npos);
  check_read_by_python(kScript, dir.path());
}

TEST_CASE(
    "minigooglenet: onnxruntime subtracts the mean and gives our own network's logits, in float16 "
    "too" *
    doctest::test_suite("needs Python")) {
  TempDir dir;
  const auto network = drawn_network(
      make_model("minigooglenet", {.classes = 3, .side = 32, .mean = {.5, .4, .3}}), 7);
  const Checkpoint checkpoint = checkpoint_of(*network, kClasses);
  write_tensors(dir / "expected.safetensors", expected_of(*network, torch::rand({2, 3, 32, 32})));
  for (const bool half : {false, true})
    find_exporter("onnx").write(checkpoint, dir / (half ? "half.onnx" : "raw.onnx"),
                                {.output = OnnxOutput::raw, .half = half});
  check_read_by_python(kScript, dir.path());
  CHECK(message_of([&] { find_exporter("onnx").write(checkpoint, dir / "a.onnx", {}); }) ==
        "78 minigooglenet: its head head is of the whole picture, it has no boxes; export raw "
        "outputs");
  CHECK(message_of([&] { find_exporter("darknet").write(checkpoint, dir / "a", {}); }) ==
        "78 minigooglenet: layer 0 'images': Darknet has no section for a mean that is subtracted; "
        "export "
        "to ONNX");
}

TEST_CASE(
    "the other kinds of layers, uneven padding and activations run in onnxruntime as in our "
    "network" *
    doctest::test_suite("needs Python")) {
  TempDir dir;
  const auto network = drawn_network(odd_graph(), 5);
  const Checkpoint checkpoint = checkpoint_of(*network, {"a", "b", "c", "d", "e"});
  write_tensors(dir / "expected.safetensors", expected_of(*network, torch::rand({3, 3, 32, 32})));
  for (const bool half : {false, true})
    find_exporter("onnx").write(checkpoint, dir / (half ? "half.onnx" : "raw.onnx"),
                                {.output = OnnxOutput::raw, .half = half});
  check_read_by_python(kScript, dir.path());
}

TEST_CASE("a network that a format cannot hold is refused with the layer") {
  TempDir dir;
  Checkpoint checkpoint = checkpoint_of(*drawn_network(odd_graph(), 5), {"a", "b", "c", "d", "e"});
  CHECK(message_of([&] { find_exporter("onnx").write(checkpoint, dir / "a.onnx", {}); }) ==
        "78 odd: its head head is of the whole picture, it has no boxes; export raw outputs");
  CHECK(message_of([&] { find_exporter("darknet").write(checkpoint, dir / "a", {}); }) ==
        "78 odd: layer 1 'first': Darknet has no section for uneven padding; export to ONNX");
  CHECK(message_of([] { find_exporter("onxn"); }) ==
        "64 unknown export format 'onxn'; did you mean 'onnx'? known: onnx, openvino, darknet");
  checkpoint.tensors["first.weight"] = torch::full({8, 3, 3, 3}, 1e6f);
  CHECK(message_of([&] {
          find_exporter("onnx").write(checkpoint, dir / "a.onnx",
                                      {.output = OnnxOutput::raw, .half = true});
        }).starts_with("78 first.weight: holds "));
  checkpoint.tensors["first.weight"] = torch::ones({2});
  CHECK(message_of([&] {
          find_exporter("onnx").write(checkpoint, dir / "a.onnx", {.output = OnnxOutput::raw});
        }) == "78 weights: first.weight has 2 values, must be 216");
  checkpoint.tensors.erase("first.weight");
  CHECK(message_of([&] {
          find_exporter("onnx").write(checkpoint, dir / "a.onnx", {.output = OnnxOutput::raw});
        }) == "78 weights: first.weight is missing, the graph has that layer");
  CHECK_FALSE(std::filesystem::exists(dir / "a.onnx"));
}

}  // namespace letterpress
