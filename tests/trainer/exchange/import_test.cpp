// Files that write_foreign.py wrote without us give, in our network, what PyTorch computed from the
// same numbers.
#include <doctest/doctest.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <map>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/weights/safetensors.h"
#include "tests/agreement.h"
#include "tests/message_of.h"
#include "tests/read_by_python.h"
#include "tests/temp_dir.h"
#include "trainer/checkpoint/network_weights.h"
#include "trainer/exchange/start_weights.h"

namespace letterpress {
namespace {

constexpr double kTolerance = 1e-4;

torch::Tensor tensor_of(const SafetensorsFile& file, const std::string& name) {
  const SafetensorsFile::Array& array = file.arrays().at(name);
  torch::Tensor tensor = torch::empty(array.shape);
  file.read(name, {static_cast<std::byte*>(tensor.data_ptr()), tensor.nbytes()});
  return tensor;
}

/// Our network with a file's weights.
std::shared_ptr<Network> network_of(const StartWeights& start) {
  Graph graph = start.graph;
  graph.side = 64;
  auto network = std::make_shared<Network>(graph);
  load_weights(*network, start.tensors, start.file);
  network->eval();
  return network;
}

/// Of the outputs of a network with these weights, the difference from those of PyTorch, as a share
/// of the largest. as: the format whose epsilon those were computed with.
double furthest_output(const StartWeights& start, const SafetensorsFile& expected,
                       const std::string& as) {
  const std::vector<torch::Tensor> outputs =
      network_of(start)->forward(tensor_of(expected, "images"));
  double furthest = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const torch::Tensor wanted = tensor_of(expected, "raw." + as + "." + std::to_string(i));
    REQUIRE(outputs[i].sizes() == wanted.sizes());
    const double difference = (outputs[i] - wanted).abs().max().item<double>(),
                 size = wanted.abs().max().item<double>();
    furthest = further(furthest, difference / std::max(1.0, size));
    CHECK(size > 0.1);
  }
  return furthest;
}

std::string part_of(const std::string& file) {
  if (file == "averaged.pt") return "ema.module";
  return file == "settings.pt" ? "state_dict" : "";
}

/// Whole models of Keras in `folder` that compute something else.
void check_refused_models(const std::filesystem::path& folder) {
  const auto nowhere = [](const std::string& what) {
    return "at its " + what +
           ", which yolov3-tiny has nowhere: it would compute other numbers; train yolov3-tiny "
           "anew, or name the file's own model with --model";
  };
  const std::array refused{
      std::pair{"sloped.h5", "78: " + nowhere("leaky_re_lu there is a LeakyReLU of slope 0.3")},
      std::pair{"function.h5", "78: " + nowhere("conv2d_1 there is a LeakyReLU of slope 0.2")},
      std::pair{"mish.h5", "78: " + nowhere("activation_1 there is a Mish")},
      std::pair{"epsilons.h5",
                std::string("65: model_config: its norms have several epsilons, 1e-05 and 0.001 "
                            "among them; a model of ours has one; import "
                            "model.save_weights(\"name.weights.h5\") with --norm-epsilon")}};
  for (const auto& [name, message] : refused) {
    CAPTURE(name);
    const std::string path = (folder / name).string();
    CHECK(message_of([&] { read_start_weights(path, "yolov3-tiny"); }) ==
          message.substr(0, 2) + " " + path + message.substr(2));
  }
}

}  // namespace

TEST_CASE(
    "Darknet, Keras (plain and wrapped), PyTorch and safetensors: the imported network computes "
    "what PyTorch computes" *
    doctest::test_suite("needs Python")) {
  TempDir dir;
  check_read_by_python("tests/trainer/exchange/write_foreign.py", dir.path());
  if (!std::filesystem::exists(dir / "expected.safetensors")) return;  // skipped above
  const torch::NoGradGuard no_gradient;
  const SafetensorsFile expected(dir / "expected.safetensors");
  const torch::Tensor images = tensor_of(expected, "images");
  const std::map<std::string, std::string> written{
      {"tiny.weights", "Darknet .weights written by struct"},
      {"keras.h5", "Keras layout written by h5py"},
      {"wrapped.h5", "Keras layout of a multi-GPU wrapper, h5py"},
      {"whole.h5", "Keras layout of a whole model, h5py"},
      {"state.pt", "state dict written by PyTorch"},
      {"biased.pt", "biases before norms, written by PyTorch"},
      {"averaged.pt", "EMA beside raw weights, written by PyTorch"},
      {"settings.pt", "settings of an EMA, no weights of it, written by PyTorch"},
      {"state.safetensors", "safetensors written by safetensors"}};
  for (const auto& [name, how] : written) {
    CAPTURE(name);
    const bool says_epsilon = !name.ends_with(".pt") && !name.ends_with(".safetensors");
    if (!says_epsilon)
      CHECK(message_of([&] { read_start_weights(dir / name, "yolov3-tiny"); }) ==
            "64 " + (dir / name).string() +
                ": does not say what its norms add to the variance; import it with --norm-epsilon: "
                "1e-5 is PyTorch's default, 1e-3 that of Keras and Ultralytics");
    const StartWeights start =
        read_start_weights(dir / name, "yolov3-tiny", says_epsilon ? 0 : 1e-5);
    CHECK(start.graph.classes == 3);
    CHECK(start.tensors.size() == 11 * 5 + 2 * 2);
    CHECK(start.part == part_of(name));
    const double furthest =
        furthest_output(start, expected, name == "whole.h5" ? "pytorch" : start.format);
    check_agreement("PyTorch, float64", how + ": outputs, of the largest", furthest, kTolerance);
  }
  check_refused_models(dir.path());
  // The same file under another epsilon is another network.
  const std::vector<torch::Tensor> other =
      network_of(read_start_weights(dir / "state.pt", "yolov3-tiny", 0.3))->forward(images);
  CHECK_FALSE(torch::allclose(other[0], tensor_of(expected, "raw.pytorch.0"), 1e-2, 1e-2));

  const StartWeights backbone = read_start_weights(dir / "backbone.weights", "yolov3-tiny");
  CHECK_FALSE(backbone.has_outputs);
  CHECK(backbone.tensors.size() == 7 * 5);
  const StartWeights whole = read_start_weights(dir / "tiny.weights", "yolov3-tiny");
  for (const auto& [tensor_name, tensor] : backbone.tensors)
    CHECK(torch::equal(tensor, whole.tensors.at(tensor_name)));

  CHECK_THROWS_WITH_AS(
      read_start_weights(dir / "keras.h5", "yolov3"),
      doctest::Contains("batch_normalization_1/gamma:0 is [16] in the place of stem.norm.weight, "
                        "which is [32] in yolov3; is it of another "
                        "model?"),
      Error);
  CHECK_THROWS_WITH_AS(read_start_weights(dir / "tiny.weights", "yolov3"),
                       doctest::Contains("tiny.weights: holds 8680864 values; yolov3 has "), Error);
}

}  // namespace letterpress
