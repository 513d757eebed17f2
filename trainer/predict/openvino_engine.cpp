#include <algorithm>

#include "letterpress/base/error.h"
#include "letterpress/models/onnx.h"
#include "trainer/device/device.h"
#include "trainer/device/normalise.h"
#include "trainer/exchange/exporter.h"
#include "trainer/openvino/openvino_network.h"
#include "trainer/predict/engine.h"

namespace letterpress {
namespace {

constexpr int kLanes = 2;

// As `export --to onnx --output raw` writes it.
std::string raw_onnx(const Checkpoint& checkpoint) {
  return to_onnx(checkpoint.info.graph, graph_weights(checkpoint),
                 {.output = OnnxOutput::raw, .batch = 1});
}

std::vector<std::string> names_of_outputs(const Graph& graph) {
  std::vector<std::string> names;
  for (const int output : graph.outputs)
    names.push_back(graph.layers[static_cast<std::size_t>(output)].name);
  return names;
}

// torch has been told how many threads there are.
OpenVinoOptions options_of(const PredictorOptions& options) {
  return {.threads = torch::get_num_threads(),
          .at_once = options.batch,
          .callers = kLanes,
          .bf16 = arithmetic_type(options.precision, torch::kCPU) == torch::kBFloat16};
}

class OpenVinoEngine : public Engine {
 public:
  OpenVinoEngine(const Checkpoint& checkpoint, const PredictorOptions& options)
      : graph_(checkpoint.info.graph),
        sides_(output_sides(graph_, graph_.side)),
        network_(raw_onnx(checkpoint), "images", names_of_outputs(graph_), options_of(options)) {}

  std::string name() const override { return "openvino " + OpenVinoNetwork::version(); }
  int lanes() const override { return kLanes; }

  // Each picture's bytes become floats in the memory that OpenVINO reads, while others are
  // computed.
  std::vector<torch::Tensor> forward(const torch::Tensor& packed) override {
    std::vector<torch::Tensor> results = empty_results(packed.size(0));
    const std::int64_t side = graph_.side;
    network_.run(
        static_cast<std::size_t>(packed.size(0)),
        [&](std::size_t i, std::span<float> input) {
          torch::Tensor images = torch::from_blob(input.data(), {1, 3, side, side});
          normalise(packed.narrow(0, static_cast<std::int64_t>(i), 1), images);
        },
        [&](std::size_t i, std::size_t output, std::span<const float> values) {
          const torch::Tensor result = results[output][static_cast<std::int64_t>(i)];
          if (values.size() != static_cast<std::size_t>(result.numel()))
            throw Error({.where = name(),
                         .what = "returns " + std::to_string(values.size()) + " numbers, not " +
                                 std::to_string(result.numel()),
                         .fix = "use --engine torch"},
                        Exit::configuration);
          std::ranges::copy(values, result.mutable_data_ptr<float>());
        });
    return results;
  }

 private:
  std::vector<torch::Tensor> empty_results(std::int64_t n) const {
    std::vector<torch::Tensor> results;
    for (const int output : graph_.outputs) {
      const auto index = static_cast<std::size_t>(output);
      const std::int64_t side = sides_[index];
      results.push_back(torch::empty({n, graph_.layers[index].channels, side, side}));
    }
    return results;
  }

  Graph graph_;
  std::vector<int> sides_;
  OpenVinoNetwork network_;
};

}  // namespace

std::unique_ptr<Engine> make_openvino_engine(const Checkpoint& checkpoint,
                                             const PredictorOptions& options) {
  return std::make_unique<OpenVinoEngine>(checkpoint, options);
}

}  // namespace letterpress
