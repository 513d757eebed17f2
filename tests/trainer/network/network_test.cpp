#include "trainer/network/network.h"

#include <doctest/doctest.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "letterpress/base/error.h"
#include "tests/trainer/network/tensor_of.h"

using namespace letterpress;

namespace {

Network tiny(int side = 96) {
  return Network(make_model("yolov3-tiny", {.classes = 3, .side = side}));
}

// images -> dropout -> head of 3 channels
Graph dropout_graph() {
  Graph graph{.model = "dropout", .loss = "none", .classes = 3, .side = 4};
  graph.layers = {{.name = "images", .channels = 3, .stage = "backbone"},
                  {.name = "drop",
                   .kind = LayerKind::dropout,
                   .inputs = {0},
                   .channels = 3,
                   .dropout = 0.5,
                   .stage = "backbone"},
                  {.name = "out",
                   .kind = LayerKind::head,
                   .inputs = {1},
                   .channels = 3,
                   .stage = "head",
                   .head_stride = 1}};
  graph.outputs = {2};
  return graph;
}

}  // namespace

TEST_CASE("a module has as many parameters and statistics as its graph says") {
  for (const ModelInfo& info : model_infos()) {
    CAPTURE(info.name);
    const Graph graph = make_model(info.name, {.classes = 3, .side = 96});
    const Network network(graph);
    std::int64_t parameters = 0;
    for (const NamedTensor& one : network.parameters()) parameters += one.value.numel();
    CHECK(parameters == measure(graph).parameters);
    CHECK(network.statistics().numel() == measure(graph).norm_statistics);
  }
}

TEST_CASE("running statistics move by the least momentum, where the graph's own is less") {
  const Graph graph = make_model("yolov8n", {.classes = 3, .side = 96});  // its own is .03
  const torch::Tensor images = torch::rand({4, 3, 96, 96});
  const auto moved = [&](double least) {
    Network network(graph);
    network.initialise(1);
    if (least > 0) network.set_least_norm_momentum(least);
    const torch::NoGradGuard no_grad;
    const torch::Tensor before = network.statistics().clone();
    network.forward(images);
    return network.statistics() - before;
  };
  const torch::Tensor own = moved(0);
  CHECK(torch::allclose(moved(0.01), own));
  CHECK(torch::allclose(moved(0.15), own * 5, 1e-4, 1e-6));
}

TEST_CASE("outputs are float32 of the heads' shapes, coarse to fine, at any side that fits") {
  Network network = tiny();
  network.initialise(1);
  network.eval();
  const torch::NoGradGuard no_grad;
  for (const int side : {96, 64}) {
    const std::vector<torch::Tensor> outputs = network.forward(torch::rand({2, 3, side, side}));
    REQUIRE(outputs.size() == 2);
    CHECK(outputs[0].sizes() == torch::IntArrayRef({2, 24, side / 32, side / 32}));
    CHECK(outputs[1].sizes() == torch::IntArrayRef({2, 24, side / 16, side / 16}));
    for (const torch::Tensor& output : outputs) {
      CHECK((output.scalar_type() == torch::kFloat));
      CHECK(output.isfinite().all().item<bool>());
    }
  }
}

TEST_CASE("tensors are named after their layers") {
  const Network network = tiny();
  CHECK(tensor_of(network, "conv1.weight").sizes() == torch::IntArrayRef({16, 3, 3, 3}));
  CHECK(tensor_of(network, "conv1.norm.weight").numel() == 16);
  CHECK(tensor_of(network, "conv1.norm.bias").numel() == 16);
  CHECK(tensor_of(network, "conv1.norm.mean").numel() == 16);
  CHECK(tensor_of(network, "conv1.norm.var").numel() == 16);
  CHECK(tensor_of(network, "scale32_output.bias").numel() == 24);
  CHECK(network.parameters().size() == 11 * 3 + 2 * 2);
  CHECK(network.named_statistics().size() == 11 * 2);
}

TEST_CASE(
    "running statistics are views of one flat tensor, also after a training step and a move") {
  Network network = tiny();
  network.initialise(1);
  network.train();
  network.forward(torch::rand({2, 3, 64, 64}));
  network.to(torch::kCPU);
  network.to(torch::kDouble);
  network.to(torch::kFloat);
  CHECK((network.statistics().scalar_type() == torch::kFloat));
  const torch::Tensor mean = tensor_of(network, "conv1.norm.mean"),
                      var = tensor_of(network, "conv1.norm.var");
  CHECK(mean.abs().sum().item<float>() > 0);
  CHECK(torch::equal(network.statistics().narrow(0, 0, 16), mean));
  CHECK(torch::equal(network.statistics().narrow(0, 16, 16), var));
  network.statistics().fill_(7);
  CHECK(mean.eq(7).all().item<bool>());
  CHECK(tensor_of(network, "scale16_conv.norm.var").eq(7).all().item<bool>());
}

TEST_CASE("the same seed gives the same start, another one does not") {
  Network a = tiny(), b = tiny(), c = tiny();
  a.initialise(7);
  b.initialise(7);
  c.initialise(8);
  torch::rand({5});  // the global generator has no part in it
  b.initialise(7);
  for (const char* name : {"conv1.weight", "conv7.weight", "scale16_output.weight"}) {
    CAPTURE(name);
    CHECK(torch::equal(tensor_of(a, name), tensor_of(b, name)));
    CHECK(!torch::equal(tensor_of(a, name), tensor_of(c, name)));
  }
}

TEST_CASE("a start is He-uniform, objectness begins at a chance of one in a hundred") {
  Network network = tiny();
  network.statistics().fill_(3);
  network.initialise(1);
  // uniform in +-b has variance b^2 / 3 = 2 / (1.01 * fan_in) for a leaky slope of .1
  // (arXiv:1502.01852, equation 15)
  const torch::Tensor weight = tensor_of(network, "conv7.weight");
  const double wanted = 2 / (1.01 * 512 * 9);
  CHECK(weight.var().item<double>() == doctest::Approx(wanted).epsilon(0.01));
  CHECK(weight.abs().max().item<double>() <= std::sqrt(3 * wanted) * 1.0001);
  CHECK(tensor_of(network, "conv7.norm.weight").eq(1).all().item<bool>());
  CHECK(tensor_of(network, "conv7.norm.bias").eq(0).all().item<bool>());
  CHECK(tensor_of(network, "conv7.norm.mean").eq(0).all().item<bool>());
  CHECK(tensor_of(network, "conv7.norm.var").eq(1).all().item<bool>());
  const torch::Tensor bias = tensor_of(network, "scale32_output.bias").view({3, 8});
  CHECK(bias.select(1, 4).sigmoid().allclose(torch::full({3}, 0.01), 1e-4));
  CHECK(bias.abs().sum().item<double>() == doctest::Approx(3 * std::log(99.0)).epsilon(1e-5));
}

TEST_CASE(
    "heads without anchors start by finding five objects a picture, over all cells and classes") {
  Network network(make_model("yolov8n", {.classes = 3, .side = 128}));
  network.initialise(1);
  for (const auto& [layer, cells] : {std::pair{"head8", 256.0}, std::pair{"head32", 16.0}}) {
    CAPTURE(layer);
    const torch::Tensor bias = tensor_of(network, std::string(layer) + "_class_output.bias");
    CHECK(bias.sigmoid().allclose(torch::full({3}, std::min(0.01, 5 / (3 * cells))), 1e-4));
    CHECK(tensor_of(network, std::string(layer) + "_box_output.bias").eq(0).all().item<bool>());
  }
}

TEST_CASE("the graph's mean is subtracted from the pictures, in the network's own precision") {
  const Graph plain = make_model("minigooglenet", {.classes = 3, .side = 32}),
              with_mean =
                  make_model("minigooglenet", {.classes = 3, .side = 32, .mean = {.5, .25, .125}});
  Network a(plain), b(with_mean);
  const torch::Tensor mean = torch::tensor({.5, .25, .125}, torch::kDouble).view({1, 3, 1, 1}),
                      images = torch::rand({2, 3, 32, 32}, torch::kDouble);
  for (Network* network : {&a, &b}) {
    network->initialise(1);
    network->to(torch::kDouble);
    network->eval();
  }
  CHECK(torch::equal(b.forward(images)[0], a.forward(images - mean)[0]));
  CHECK_FALSE(torch::equal(b.forward(images)[0], a.forward(images)[0]));
  CHECK(b.named_statistics().size() ==
        a.named_statistics().size());  // the graph carries it, no tensor of the checkpoint
}

TEST_CASE("dropout drops in training only, and not where it is frozen") {
  Network network{dropout_graph()};
  const torch::Tensor images = torch::ones({8, 3, 4, 4});
  torch::manual_seed(1);
  network.train();
  const torch::Tensor dropped = network.forward(images)[0];
  CHECK((dropped.eq(0) | dropped.eq(2))
            .all()
            .item<bool>());  // what is kept is scaled by 1 / (1 - .5)
  CHECK(dropped.mean().item<double>() == doctest::Approx(1).epsilon(0.2));
  network.freeze_layers({"drop"});
  CHECK(torch::equal(network.forward(images)[0], images));
  network.freeze_layers({});
  network.eval();
  CHECK(torch::equal(network.forward(images)[0], images));
}

TEST_CASE("a head of several inputs joins them channel after channel, of several adds sums all") {
  Graph graph{.model = "branches", .loss = "none", .classes = 1, .side = 4};
  graph.layers = {{.name = "images", .channels = 3, .stage = "backbone"},
                  {.name = "last",
                   .kind = LayerKind::slice,
                   .inputs = {0},
                   .channels = 1,
                   .slice_first = 2,
                   .stage = "backbone"},
                  {.name = "first",
                   .kind = LayerKind::slice,
                   .inputs = {0},
                   .channels = 1,
                   .stage = "backbone"},
                  {.name = "sum",
                   .kind = LayerKind::add,
                   .inputs = {1, 2, 2},
                   .channels = 1,
                   .activation = Activation::relu,
                   .stage = "neck"},
                  {.name = "out",
                   .kind = LayerKind::head,
                   .inputs = {1, 3},
                   .channels = 2,
                   .stage = "head",
                   .head_stride = 1}};
  graph.outputs = {4};
  Network network(graph);
  const torch::Tensor images = torch::randn({2, 3, 4, 4});
  const torch::Tensor output = network.forward(images)[0];
  CHECK(torch::equal(output.select(1, 0), images.select(1, 2)));
  CHECK(torch::allclose(output.select(1, 1),
                        (images.select(1, 2) + 2 * images.select(1, 0)).clamp_min(0)));
}

TEST_CASE("pictures that are not a normalised batch are refused with their type and shape") {
  Network network = tiny();
  CHECK_THROWS_WITH_AS(
      network.forward(torch::zeros({2, 64, 64, 3}, torch::kByte)),
      "network: images are Byte [2, 64, 64, 3], must be floats [B, 3, side, side]; "
      "normalise the bytes first",
      Error);
  CHECK_THROWS_AS(network.forward(torch::zeros({3, 64, 64})), Error);
}

TEST_CASE("a graph that does not hold together makes no module") {
  Graph graph = make_model("yolov3-tiny", {.classes = 3, .side = 96});
  graph.layers[4].channels = 17;
  CHECK_THROWS_WITH_AS(Network{graph}, "layer 4 'pool2': channels is 17, its inputs make it 32",
                       Error);
}

TEST_CASE("one step down the gradient lowers the loss") {
  Network network = tiny();
  network.initialise(3);
  network.train();
  const torch::Tensor images = torch::rand({2, 3, 64, 64});
  const auto loss = [&] {
    const std::vector<torch::Tensor> outputs = network.forward(images);
    return outputs[0].square().mean() + outputs[1].square().mean();
  };
  const torch::Tensor before = loss();
  before.backward();
  const torch::NoGradGuard no_grad;
  for (auto& [name, value] : network.parameters()) value -= 1e-3 * value.grad();
  CHECK(loss().item<double>() < before.item<double>());
}
