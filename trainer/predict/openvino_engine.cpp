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

/// What the network gives of one picture; -1: as many as there are.
struct Output {
  std::string name;
  std::vector<std::int64_t> shape;
};

std::vector<Output> outputs_of(const ModelFile& model) {
  if (!model.checkpoint)
    return {{"boxes", {-1, 4}}, {"scores", {-1, std::ssize(model.use.classes)}}};
  const Graph& graph = model.checkpoint->info.graph;
  const std::vector<int> sides = output_sides(graph, graph.side);
  std::vector<Output> outputs;
  for (const int output : graph.outputs) {
    const auto index = static_cast<std::size_t>(output);
    const Layer& layer = graph.layers[index];
    outputs.push_back({layer.name, {layer.channels, sides[index], sides[index]}});
  }
  return outputs;
}

std::vector<std::string> names_of(const std::vector<Output>& outputs) {
  std::vector<std::string> names;
  for (const Output& output : outputs) names.push_back(output.name);
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
  OpenVinoEngine(const ModelFile& model, const PredictorOptions& options)
      : side_(model.use.side),
        is_export_(!model.checkpoint),
        outputs_(outputs_of(model)),
        network_(is_export_ ? model.onnx : raw_onnx(*model.checkpoint),
                 {.name = "images", .shape = {1, 3, side_, side_}}, names_of(outputs_),
                 options_of(options)) {}

  std::string name() const override { return "openvino " + OpenVinoNetwork::version(); }
  int lanes() const override { return kLanes; }

  // Each picture's bytes become floats in the memory that OpenVINO reads, while others are
  // computed.
  std::vector<torch::Tensor> forward(const torch::Tensor& packed) override {
    const std::int64_t n = packed.size(0);
    std::vector<torch::Tensor> results(outputs_.size());
    network_.run(
        static_cast<std::size_t>(n),
        [&](std::size_t i, std::span<float> input) {
          check(input.size(), 3 * side_ * side_, "takes");
          torch::Tensor images = torch::from_blob(input.data(), {1, 3, side_, side_});
          normalise(packed.narrow(0, static_cast<std::int64_t>(i), 1), images);
        },
        [&](std::size_t i, std::size_t output, std::span<const float> values) {
          torch::Tensor& result = results[output];
          if (i == 0) result = torch::empty(shape_of(outputs_[output], n, values.size()));
          const torch::Tensor picture = result[static_cast<std::int64_t>(i)];
          check(values.size(), picture.numel(), "returns");
          std::ranges::copy(values, picture.mutable_data_ptr<float>());
        });
    return results;
  }

 private:
  static std::vector<std::int64_t> shape_of(const Output& output, std::int64_t n,
                                            std::size_t values) {
    std::vector<std::int64_t> shape{n};
    for (const std::int64_t length : output.shape)
      shape.push_back(length >= 0 ? length
                                  : static_cast<std::int64_t>(values) / output.shape.back());
    return shape;
  }
  void check(std::size_t got, std::int64_t wanted, const std::string& does) const {
    if (got == static_cast<std::size_t>(wanted)) return;
    throw Error(
        {.where = name(),
         .what = does + " " + std::to_string(got) + " numbers, not " + std::to_string(wanted),
         .fix = is_export_ ? "export the file again" : "use --engine torch"},
        Exit::configuration);
  }

  std::int64_t side_;
  bool is_export_;
  std::vector<Output> outputs_;
  OpenVinoNetwork network_;
};

}  // namespace

std::unique_ptr<Engine> make_openvino_engine(const ModelFile& model,
                                             const PredictorOptions& options) {
  return std::make_unique<OpenVinoEngine>(model, options);
}

}  // namespace letterpress
