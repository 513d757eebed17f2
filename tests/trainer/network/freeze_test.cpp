#include "trainer/network/freeze.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "trainer/network/network.h"

using namespace letterpress;

namespace {

const Graph& tiny() {
  static const Graph graph = make_model("yolov3-tiny", {.classes = 3, .side = 96});
  return graph;
}

}  // namespace

TEST_CASE("all-but-head leaves the output convolutions: 2 of yolov3-tiny, 3 of yolov3") {
  for (const auto& [model, outputs] : {std::pair<const char*, std::size_t>{"yolov3-tiny", 2}, {"yolov3", 3}}) {
    const Graph graph = make_model(model, {.classes = 3, .side = 96});
    std::size_t layers = 0;
    for (const Layer& layer : graph.layers) layers += layer.kind == LayerKind::conv;
    const auto names = layers_to_freeze(graph, "all-but-head");
    CHECK(layers - names.size() == outputs);
    CHECK_FALSE(names.contains("scale32_output"));
  }
}

TEST_CASE("backbone is the graph's stage, a pattern goes by names, none is none") {
  std::set<std::string> backbone;
  for (const Layer& layer : tiny().layers) {
    if (layer.stage == "backbone" && layer.kind == LayerKind::conv) backbone.insert(layer.name);
  }
  CHECK_FALSE(backbone.empty());
  CHECK(layers_to_freeze(tiny(), "backbone") == backbone);
  CHECK(layers_to_freeze(tiny(), "none").empty());
  CHECK(layers_to_freeze(tiny(), "scale??_output") == std::set<std::string>{"scale16_output", "scale32_output"});
  CHECK_THROWS_WITH_AS(layers_to_freeze(tiny(), "bakcbone"),
                       doctest::Contains("--freeze is 'bakcbone', which no layer of yolov3-tiny is called; must be none, backbone, "
                                         "all-but-head or a pattern of: "),
                       Error);
  CHECK_THROWS_WITH_AS(layers_to_freeze(tiny(), "*"), "--freeze '*' leaves no layer of yolov3-tiny to train", Error);
}

TEST_CASE("frozen layers take no gradient and keep their running statistics in training; they train again once thawed") {
  Network network(tiny());
  network.initialise(1);
  network.train();
  const auto statistics_move = [&](const std::string& layer) {
    const torch::Tensor mean = network.named_buffers()[layer + ".norm.mean"].clone();
    network.forward(torch::rand({2, 3, 96, 96}));
    return !torch::equal(mean, network.named_buffers()[layer + ".norm.mean"]);
  };
  const std::set<std::string> frozen = layers_to_freeze(tiny(), "backbone");
  network.freeze_layers(frozen);
  for (const auto& named : network.named_parameters()) {
    CAPTURE(named.key());
    CHECK(named.value().requires_grad() != frozen.contains(named.key().substr(0, named.key().find('.'))));
  }
  CHECK_FALSE(statistics_move(*frozen.begin()));
  network.freeze_layers({});
  CHECK(statistics_move(*frozen.begin()));
  for (const torch::Tensor& parameter : network.parameters()) CHECK(parameter.requires_grad());
}
