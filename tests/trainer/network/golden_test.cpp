#include <ATen/autocast_mode.h>
#include <doctest/doctest.h>
#include <torch/types.h>

#include <algorithm>
#include <map>

#include "letterpress/weights/safetensors.h"
#include "tests/agreement.h"
#include "tests/locations.h"
#include "tests/trainer/network/tensor_of.h"
#include "trainer/network/freeze.h"

using namespace letterpress;

namespace {

constexpr double kTolerance = 2e-5;

/// A network and what PyTorch computed with the same weights; see golden/models/make_networks.py.
struct Golden {
  explicit Golden(const std::string& name)
      : file(std::filesystem::path(LETTERPRESS_SOURCE_DIR) / "tests/golden/models" /
             (name + ".safetensors")),
        network(graph_from_json(file.metadata().at("graph"))) {
    const torch::NoGradGuard no_grad;
    for (const auto& [key, value] : network.parameters()) value.copy_(get("weight." + key));
    for (const auto& [key, value] : network.named_statistics()) value.copy_(get("weight." + key));
  }
  torch::Tensor get(const std::string& name) const {
    torch::Tensor tensor = torch::empty(file.arrays().at(name).shape);
    file.read(name, {static_cast<std::byte*>(tensor.data_ptr()),
                     static_cast<std::size_t>(tensor.nbytes())});
    return tensor;
  }
  void check(const std::string& name, const torch::Tensor& got) const {
    CAPTURE(name);
    const torch::Tensor wanted = get(name);
    REQUIRE(got.sizes() == wanted.sizes());
    const double apart =
        (got - wanted).abs().max().item<double>() / (1 + wanted.abs().max().item<double>());
    CHECK(apart < kTolerance);
    double& furthest_of_kind = furthest[name.substr(0, name.find('.'))];
    furthest_of_kind = std::max(furthest_of_kind, apart);
  }
  void check_outputs(const std::string& prefix, const std::vector<torch::Tensor>& outputs) const {
    REQUIRE(outputs.size() == network.graph().outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) check(prefix + std::to_string(i), outputs[i]);
  }

  SafetensorsFile file;
  Network network;
  mutable std::map<std::string, double>
      furthest;  ///< by the kind of tensors: as shares of 1 + their largest
};

const char* const kNames[] = {"detector", "classifier", "mixer"};

}  // namespace

TEST_CASE(
    "outputs, gradients and statistics of a training step are PyTorch's own, in either memory "
    "layout") {
  for (const char* name : kNames) {
    for (const auto format : {torch::MemoryFormat::Contiguous, torch::MemoryFormat::ChannelsLast}) {
      CAPTURE(name);
      Golden golden(name);
      golden.network.train();
      const std::vector<torch::Tensor> outputs =
          golden.network.forward(golden.get("images").contiguous(format));
      golden.check_outputs("output.", outputs);
      torch::Tensor loss = torch::zeros({});
      for (std::size_t i = 0; i < outputs.size(); ++i)
        loss = loss + (outputs[i] * golden.get("target." + std::to_string(i))).sum();
      loss.backward();
      for (const auto& [key, value] : golden.network.parameters())
        golden.check("gradient." + key, value.grad());
      for (const auto& [key, value] : golden.network.named_statistics())
        golden.check("statistics." + key, value);
      golden.network.eval();
      const torch::NoGradGuard no_grad;
      golden.check_outputs("eval.",
                           golden.network.forward(golden.get("images").contiguous(format)));
      for (const auto& [kind, apart] : golden.furthest) {
        const std::string layout =
            format == torch::MemoryFormat::Contiguous ? "" : ", channels_last";
        check_agreement("PyTorch, float64",
                        std::string(name) + layout + ": " + kind + ", of the largest", apart,
                        kTolerance);
      }
    }
  }
}

TEST_CASE(
    "a frozen backbone uses its running statistics in training, keeps them and has no gradients") {
  for (const char* name : kNames) {
    CAPTURE(name);
    Golden golden(name);
    golden.network.freeze_layers(layers_to_freeze(golden.network.graph(), "backbone"));
    golden.network.train();
    const std::vector<torch::Tensor> outputs = golden.network.forward(golden.get("images"));
    golden.check_outputs("frozen.", outputs);
    for (const torch::Tensor& output : outputs) output.sum().backward({}, true);
    for (const Layer& layer : golden.network.graph().layers) {
      if (layer.kind != LayerKind::conv && layer.kind != LayerKind::linear) continue;
      CAPTURE(layer.name);
      const torch::Tensor weight = tensor_of(golden.network, layer.name + ".weight");
      CHECK(weight.grad().defined() == (layer.stage != "backbone"));
      if (!layer.norm) continue;
      const torch::Tensor mean = tensor_of(golden.network, layer.name + ".norm.mean");
      CHECK(torch::equal(mean, golden.get("weight." + layer.name + ".norm.mean")) ==
            (layer.stage == "backbone"));
    }
  }
}

TEST_CASE("under bf16 autocast outputs are float32 and near the exact ones") {
  Golden golden("detector");
  golden.network.eval();
  const torch::NoGradGuard no_grad;
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  const std::vector<torch::Tensor> outputs =
      golden.network.forward(golden.get("images").contiguous(torch::MemoryFormat::ChannelsLast));
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kCPU, false);
  const std::vector<torch::Tensor> exact = golden.network.forward(golden.get("images"));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    CHECK((outputs[i].scalar_type() == torch::kFloat));
    const double difference =
        (outputs[i] - exact[i]).abs().max().item<double>() / exact[i].abs().max().item<double>();
    CHECK(difference < 0.05);
    CHECK(difference > 0);  // else nothing ran in bf16
  }
}
