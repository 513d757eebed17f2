#include "trainer/network/freeze.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "tests/trainer/network/tensor_of.h"

using namespace letterpress;

namespace {

const Graph& tiny_graph() {
  static const Graph graph = make_model("yolov3-tiny", {.classes = 3, .side = 96});
  return graph;
}

}  // namespace

TEST_CASE("all-but-head leaves the output convolutions: 2 of yolov3-tiny, 3 of yolov3") {
  for (const auto& [model, outputs] :
       {std::pair<const char*, std::size_t>{"yolov3-tiny", 2}, {"yolov3", 3}}) {
    const Graph graph = make_model(model, {.classes = 3, .side = 96});
    std::size_t layers = 0;
    for (const Layer& layer : graph.layers) layers += layer.kind == LayerKind::conv;
    const auto names = layers_to_freeze(graph, "all-but-head");
    CHECK(layers - names.size() == outputs);
    CHECK_FALSE(names.contains("scale32_output"));
  }
}

TEST_CASE("each stage of the graph has its name, a pattern goes by names, none is none") {
  for (const char* stage : {"backbone", "neck", "head"}) {
    std::set<std::string> layers;
    for (const Layer& layer : tiny_graph().layers) {
      if (layer.stage == stage && layer.kind == LayerKind::conv) layers.insert(layer.name);
    }
    CHECK_FALSE(layers.empty());
    CHECK(layers_to_freeze(tiny_graph(), stage) == layers);
  }
  CHECK(layers_to_freeze(tiny_graph(), "none").empty());
  CHECK(layers_to_freeze(tiny_graph(), "scale??_output") ==
        std::set<std::string>{"scale16_output", "scale32_output"});
  CHECK_THROWS_WITH_AS(layers_to_freeze(tiny_graph(), "bakcbone"),
                       doctest::Contains("--freeze: unknown stage, layer or pattern of layers "
                                         "'bakcbone'; did you mean 'backbone'? "
                                         "known: backbone, "),
                       Error);
  CHECK_THROWS_WITH_AS(layers_to_freeze(tiny_graph(), "*"),
                       "--freeze '*' leaves no layer of yolov3-tiny to train", Error);
}

TEST_CASE("dropout is frozen with its stage") {
  Graph graph{.model = "small", .loss = "none", .classes = 2, .side = 4};
  graph.layers = {
      {.name = "images", .channels = 3, .stage = "backbone"},
      {.name = "first", .kind = LayerKind::conv, .inputs = {0}, .channels = 4, .stage = "backbone"},
      {.name = "drop",
       .kind = LayerKind::dropout,
       .inputs = {1},
       .channels = 4,
       .dropout = 0.5,
       .stage = "backbone"},
      {.name = "last", .kind = LayerKind::conv, .inputs = {2}, .channels = 2, .stage = "head"},
      {.name = "output",
       .kind = LayerKind::head,
       .inputs = {3},
       .channels = 2,
       .stage = "head",
       .head_stride = 1}};
  graph.outputs = {4};
  CHECK(layers_to_freeze(graph, "backbone") == std::set<std::string>{"drop", "first"});
  Network network(graph);
  network.initialise(1);
  network.train();
  network.freeze_layers(layers_to_freeze(graph, "backbone"));
  const torch::Tensor images = torch::ones({8, 3, 4, 4});
  CHECK(torch::equal(network.forward(images)[0], network.forward(images)[0]));
}

TEST_CASE(
    "frozen layers get no gradient and keep their running statistics in training; they train "
    "again once thawed") {
  Network network(tiny_graph());
  network.initialise(1);
  network.train();
  const auto statistics_move = [&](const std::string& layer) {
    const torch::Tensor mean = tensor_of(network, layer + ".norm.mean").clone();
    network.forward(torch::rand({2, 3, 96, 96}));
    return !torch::equal(mean, tensor_of(network, layer + ".norm.mean"));
  };
  const std::set<std::string> frozen = layers_to_freeze(tiny_graph(), "backbone");
  network.freeze_layers(frozen);
  for (const auto& [name, value] : network.parameters()) {
    CAPTURE(name);
    CHECK(value.requires_grad() != frozen.contains(name.substr(0, name.find('.'))));
  }
  CHECK_FALSE(statistics_move(*frozen.begin()));
  network.freeze_layers({});
  CHECK(statistics_move(*frozen.begin()));
  for (const NamedTensor& parameter : network.parameters()) CHECK(parameter.value.requires_grad());
}
