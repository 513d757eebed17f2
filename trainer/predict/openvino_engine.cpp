#include <algorithm>
#include <optional>

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

std::vector<std::string> names_of_outputs(const ModelFile& model) {
  if (model.is_export()) return {"boxes", "scores"};
  const Graph& graph = model.checkpoint->info.graph;
  std::vector<std::string> names;
  for (const int output : graph.outputs)
    names.push_back(graph.layers[static_cast<std::size_t>(output)].name);
  return names;
}

// torch has been told how many threads there are.
OpenVinoOptions options_of(const PredictorOptions& options) {
  return {.threads = arithmetic_threads(),
          .at_once = options.batch,
          .callers = kLanes,
          .bf16 = arithmetic_type(options.precision, torch::kCPU) == torch::kBFloat16};
}

using Shape = std::vector<std::int64_t>;

/// Of one picture, in the order of names_of_outputs(). n: numbers that the first has.
std::vector<Shape> shapes_of_outputs(const ModelFile& model, std::size_t n) {
  if (model.is_export()) {
    const auto predictions = static_cast<std::int64_t>(n) / 4;
    return {{predictions, 4}, {predictions, std::ssize(model.use.classes)}};
  }
  const Graph& graph = model.checkpoint->info.graph;
  const std::vector<int> sides = output_sides(graph, graph.side);
  std::vector<Shape> shapes;
  for (const int output : graph.outputs) {
    const auto index = static_cast<std::size_t>(output);
    shapes.push_back({graph.layers[index].channels, sides[index], sides[index]});
  }
  return shapes;
}

class OpenVinoEngine : public Engine {
 public:
  OpenVinoEngine(const ModelFile& model, const std::string& onnx, const PredictorOptions& options)
      : side_(model.use.side),
        network_(onnx, {.name = "images", .shape = {1, 3, side_, side_}}, names_of_outputs(model),
                 options_of(options)),
        shapes_(shapes_of_outputs(model, network_.numbers_of_output(0))) {
    if (!model.is_export()) graph_ = model.checkpoint->info.graph;
    check(network_.numbers_of_input(), {3, side_, side_}, "takes");
    for (std::size_t i = 0; i < shapes_.size(); ++i)
      check(network_.numbers_of_output(i), shapes_[i], "returns");
  }

  std::string name() const override { return "openvino " + OpenVinoNetwork::version(); }
  int lanes() const override { return kLanes; }

  // Each picture's bytes become floats in the memory that OpenVINO reads, while others are
  // computed.
  std::vector<torch::Tensor> forward(const torch::Tensor& packed) override {
    const std::int64_t n = packed.size(0);
    std::vector<torch::Tensor> results;
    for (Shape shape : shapes_) {
      shape.insert(shape.begin(), n);
      results.push_back(torch::empty(shape));
    }
    network_.run(
        static_cast<std::size_t>(n),
        [&](std::size_t i, std::span<float> input) {
          torch::Tensor images = torch::from_blob(input.data(), {1, 3, side_, side_});
          normalise(packed.narrow(0, static_cast<std::int64_t>(i), 1), images);
        },
        [&](std::size_t i, std::size_t output, std::span<const float> values) {
          const torch::Tensor picture = results[output][static_cast<std::int64_t>(i)];
          std::ranges::copy(values, picture.mutable_data_ptr<float>());
        });
    return results;
  }

  Candidates candidates(const std::vector<torch::Tensor>& outputs) const override {
    if (graph_) return decode_outputs(*graph_, outputs, graph_->side);
    return {outputs[0], outputs[1]};
  }

 private:
  void check(std::size_t got, const Shape& wanted, const std::string& does) const {
    const std::int64_t n = c10::multiply_integers(wanted);
    if (got == static_cast<std::size_t>(n)) return;
    throw Error({.where = name(),
                 .what = does + " " + std::to_string(got) + " numbers of a picture, not " +
                         std::to_string(n),
                 .fix = "use --engine torch"},
                Exit::configuration);
  }

  std::int64_t side_;
  OpenVinoNetwork network_;
  std::vector<Shape> shapes_;
  std::optional<Graph> graph_;  // none: the network decodes by itself
};

// OpenVINO's own advice is for checkpoints.
std::unique_ptr<Engine> make_engine_of_export(const ModelFile& model,
                                              const PredictorOptions& options) {
  (void)OpenVinoNetwork::version();  // where it is not installed, that is told
  try {
    return std::make_unique<OpenVinoEngine>(model, model.onnx, options);
  } catch (const Error& error) {
    Message message = inside(model.file.string(), error.message());
    message.fix = "export it again, or predict with its checkpoint";
    throw Error(message, error.exit());
  }
}

}  // namespace

std::unique_ptr<Engine> make_openvino_engine(const ModelFile& model,
                                             const PredictorOptions& options) {
  if (model.is_export()) return make_engine_of_export(model, options);
  return std::make_unique<OpenVinoEngine>(model, raw_onnx(*model.checkpoint), options);
}

}  // namespace letterpress
