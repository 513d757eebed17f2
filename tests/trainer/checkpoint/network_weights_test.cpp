#include "trainer/checkpoint/network_weights.h"

#include <doctest/doctest.h>
#include <torch/types.h>

#include "letterpress/base/error.h"
#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

Network tiny(std::uint64_t seed, int classes = 3) {
  Network network(make_model("yolov3-tiny", {.classes = classes, .side = 96}));
  network.initialise(seed);
  return network;
}

// As if trained: statistics that differ from their start.
Network used(std::uint64_t seed) {
  Network network = tiny(seed);
  torch::manual_seed(seed);
  network.statistics().uniform_(0.5, 1.5);
  return network;
}

torch::Tensor output(Network& network) {
  const torch::NoGradGuard no_grad;
  network.eval();
  return network.forward(torch::full({1, 3, 64, 64}, 0.3))[1];
}

}  // namespace

TEST_CASE("weights go through a checkpoint into another network, which then computes the same") {
  TempDir dir;
  Network from = used(1), to = used(2);
  CHECK(!torch::equal(output(from), output(to)));
  Checkpoint checkpoint{.info = {.graph = from.graph()}, .tensors = collect_weights(from)};
  CHECK(checkpoint.tensors.size() == 11 * 5 + 2 * 2);
  write_checkpoint(dir / "a.safetensors", checkpoint);
  const Checkpoint read = read_checkpoint(dir / "a.safetensors");
  Network made(read.info.graph);
  load_weights(made, read);
  load_weights(to, read);
  CHECK(torch::equal(output(from), output(made)));
  CHECK(torch::equal(output(from), output(to)));
  CHECK(torch::equal(from.statistics(), to.statistics()));
}

TEST_CASE("a checkpoint's network for use has its weights, eval mode and channels_last kernels") {
  Network from = used(1);
  Checkpoint checkpoint{.info = {.graph = from.graph()}, .tensors = collect_weights(from)};
  const std::unique_ptr<Network> network = network_for_use(checkpoint, torch::kCPU);
  CHECK_FALSE(network->is_training());
  CHECK(torch::allclose(output(*network), output(from), 1e-5, 1e-6));
  for (const auto& [name, value] : network->parameters()) {
    if (value.dim() == 4) CHECK(value.is_contiguous(torch::MemoryFormat::ChannelsLast));
  }
  checkpoint.tensors.erase(checkpoint.tensors.begin());
  CHECK_THROWS_WITH_AS(network_for_use(checkpoint, torch::kCPU),
                       doctest::Contains("weights do not fit model yolov3-tiny"), Error);
}

TEST_CASE("collected weights are copies") {
  Network network = tiny(1);
  const auto weights = collect_weights(network);
  const torch::NoGradGuard no_grad;
  for (const NamedTensor& parameter : network.parameters()) parameter.value.fill_(5);
  network.statistics().fill_(5);
  for (const auto& [name, tensor] : weights) {
    CAPTURE(name);
    CHECK(!tensor.requires_grad());
    CHECK(!tensor.eq(5).any().item<bool>());
  }
}

TEST_CASE("training continues from the raw weights, use takes the averaged ones") {
  Network averaged = used(1), raw = used(2), network = tiny(3);
  Checkpoint checkpoint{.info = {.graph = averaged.graph()}, .tensors = collect_weights(averaged)};
  for (const auto& [name, tensor] : collect_weights(raw))
    checkpoint.tensors["train." + name] = tensor;
  checkpoint.tensors["optimiser.conv1.weight.momentum"] = torch::zeros({16, 3, 3, 3});
  load_training_weights(network, checkpoint);
  CHECK(torch::equal(output(network), output(raw)));
  load_weights(network, checkpoint);
  CHECK(torch::equal(output(network), output(averaged)));
  for (auto it = checkpoint.tensors.begin(); it != checkpoint.tensors.end();) {
    it = it->first.starts_with("train.") ? checkpoint.tensors.erase(it) : std::next(it);
  }
  load_training_weights(network, checkpoint);
  CHECK(torch::equal(output(network), output(averaged)));
}

TEST_CASE("weights that do not fit are listed and nothing is loaded") {
  Network network = used(1);
  const torch::Tensor before = output(network);
  auto weights = collect_weights(used(2));
  weights["conv1.weight"] = torch::zeros({16, 3, 5, 5});
  weights.erase("conv2.norm.mean");
  weights["conv99.weight"] = torch::zeros({1});
  CHECK_THROWS_WITH_AS(
      load_weights(network, weights, "runs/a.safetensors"),
      "runs/a.safetensors: weights do not fit model yolov3-tiny with 3 classes: missing: "
      "conv2.norm.mean; unexpected: "
      "conv99.weight; of another shape: conv1.weight is [16, 3, 5, 5], must be [16, 3, 3, 3]",
      Error);
  CHECK(torch::equal(output(network), before));
  CHECK_THROWS_WITH_AS(
      load_weights(network, {}, "x"),
      doctest::Contains("missing: conv1.norm.bias, conv1.norm.mean, conv1.norm.var, "
                        "conv1.norm.weight, conv1.weight and 54 more"),
      Error);
}

TEST_CASE("a start from a model of other classes takes all but the output layers") {
  Network network = tiny(1, 3);
  const Network other = tiny(2, 80);
  const auto before = collect_weights(network);
  const WeightDifferences left = load_matching_weights(network, collect_weights(other));
  CHECK(left.missing.empty());
  CHECK(left.unexpected.empty());
  CHECK(left.different ==
        std::vector<std::string>{
            "scale16_output.bias is [255], must be [24]",
            "scale16_output.weight is [255, 256, 1, 1], must be [24, 256, 1, 1]",
            "scale32_output.bias is [255], must be [24]",
            "scale32_output.weight is [255, 512, 1, 1], must be [24, 512, 1, 1]"});
  const auto after = collect_weights(network), wanted = collect_weights(other);
  for (const auto& [name, tensor] : after) {
    CAPTURE(name);
    CHECK(torch::equal(
        tensor, name.find("_output.") == std::string::npos ? wanted.at(name) : before.at(name)));
  }
  CHECK(to_string(WeightDifferences{}).empty());
}

TEST_CASE("half-precision weights are converted") {
  Network network = used(1), other = tiny(2);
  auto weights = collect_weights(network);
  for (auto& [name, tensor] : weights) tensor = tensor.to(torch::kBFloat16);
  load_weights(other, weights, "x");
  CHECK((other.statistics().scalar_type() == torch::kFloat));
  CHECK(torch::equal(other.statistics(),
                     network.statistics().to(torch::kBFloat16).to(torch::kFloat)));
}
