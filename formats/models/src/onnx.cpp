#include "letterpress/models/onnx.h"

#include "graph_tensor.h"
#include "layer_fields.h"
#include "letterpress/base/error.h"
#include "onnx_attention.h"
#include "onnx_detection.h"
#include "onnx_writer.h"

namespace letterpress {
namespace {

constexpr float kLeakySlope = 0.1f;  // Darknet's

// Writes the layers one after the other; results_[i] is the name of layer i's output.
class LayerWriter {
 public:
  LayerWriter(const Graph& graph, const GraphWeights& weights, OnnxType type, OnnxWriter& out)
      : graph_(graph),
        weights_(weights),
        sides_(output_sides(graph, graph.side)),
        type_(type),
        out_(out) {}

  std::vector<std::string> write(const std::string& images) {
    const std::string centred = subtract_mean(images);
    results_.push_back(type_ == OnnxType::float32
                           ? centred
                           : cast(centred, graph_.layers[0].name + ".half", type_));
    for (std::size_t i = 1; i < graph_.layers.size(); ++i)
      results_.push_back(layer(graph_.layers[i], sides_[i]));
    std::vector<std::string> outputs;
    for (const int output : graph_.outputs)
      outputs.push_back(results_[static_cast<std::size_t>(output)]);
    return outputs;
  }

 private:
  std::string subtract_mean(const std::string& images) {
    if (graph_.mean.empty()) return images;
    const std::string& input = graph_.layers[0].name;
    return out_.node(
        "Sub",
        {images, out_.floats(input + ".mean", {3, 1, 1}, {graph_.mean.begin(), graph_.mean.end()})},
        input + ".centred");
  }

  std::string cast(const std::string& input, const std::string& output, OnnxType type) {
    return out_.node("Cast", {input}, output, {{"to", static_cast<std::int64_t>(type)}});
  }

  std::string layer(const Layer& layer, int side) {
    std::vector<std::string> inputs;
    for (const int input : layer.inputs)
      inputs.push_back(results_[static_cast<std::size_t>(input)]);
    switch (layer.kind) {
      case LayerKind::conv:
      case LayerKind::linear:
        return weighted(layer, inputs.front());
      case LayerKind::max_pool:
        return out_.node("MaxPool", inputs, layer.name, window(layer));
      case LayerKind::average_pool:
        return out_.node("AveragePool", inputs, layer.name, window(layer));
      case LayerKind::upsample:
        return upsample(layer, inputs.front());
      case LayerKind::concat:
        return out_.node("Concat", inputs, layer.name, {{"axis", std::int64_t{1}}});
      case LayerKind::add:
        return activate(layer, out_.node("Sum", inputs, sum_name(layer)));
      case LayerKind::slice:
        return out_.node("Slice",
                         {inputs.front(), out_.integers(layer.name + ".first", {layer.slice_first}),
                          out_.integers(layer.name + ".last", {layer.slice_first + layer.channels}),
                          out_.integers(layer.name + ".axis", {1})},
                         layer.name);
      case LayerKind::flatten:
        return out_.node("Flatten", inputs, layer.name, {{"axis", std::int64_t{1}}});
      case LayerKind::attention:
        return write_attention(layer, inputs.front(), side, type_, out_);
      case LayerKind::head:
        return head(layer, inputs);
      case LayerKind::dropout:
      case LayerKind::input:
        break;
    }
    return inputs.front();
  }

  static std::vector<OnnxAttribute> window(const Layer& layer) {
    const std::int64_t first = layer.padding,
                       last = layer.padding_end < 0 ? layer.padding : layer.padding_end;
    return {{"kernel_shape", std::vector<std::int64_t>(2, layer.kernel)},
            {"strides", std::vector<std::int64_t>(2, layer.stride)},
            {"pads", std::vector<std::int64_t>{first, first, last, last}}};
  }

  static std::vector<OnnxAttribute> convolution(const Layer& layer) {
    std::vector<OnnxAttribute> attributes = window(layer);
    if (layer.groups > 1) attributes.push_back({"group", std::int64_t{layer.groups}});
    return attributes;
  }

  static std::string sum_name(const Layer& layer) {
    return layer.activation == Activation::none ? layer.name : layer.name + ".sum";
  }

  std::string weighted(const Layer& layer, const std::string& input) {
    const FoldedLayer folded = fold(graph_, layer, weights_);
    const std::vector<std::string> inputs{
        input, out_.floats(layer.name + ".weight", folded.shape, folded.weight, type_),
        out_.floats(layer.name + ".bias", {layer.channels}, folded.bias, type_)};
    const std::string sum =
        layer.kind == LayerKind::conv
            ? out_.node("Conv", inputs, sum_name(layer), convolution(layer))
            : out_.node("Gemm", inputs, sum_name(layer), {{"transB", std::int64_t{1}}});
    return activate(layer, sum);
  }

  std::string activate(const Layer& layer, const std::string& sum) {
    switch (layer.activation) {
      case Activation::leaky_relu:
        return out_.node("LeakyRelu", {sum}, layer.name, {{"alpha", kLeakySlope}});
      case Activation::relu:
        return out_.node("Relu", {sum}, layer.name);
      case Activation::silu:
        return out_.node("Mul", {sum, out_.node("Sigmoid", {sum}, layer.name + ".sigmoid")},
                         layer.name);
      case Activation::none:
        break;
    }
    return sum;
  }

  std::string upsample(const Layer& layer, const std::string& input) {
    const auto factor = static_cast<float>(layer.stride);
    const std::string scales = out_.floats(layer.name + ".scales", {4}, {1, 1, factor, factor});
    return out_.node("Resize", {input, "", scales}, layer.name,
                     {{"mode", std::string("nearest")},
                      {"coordinate_transformation_mode", std::string("asymmetric")},
                      {"nearest_mode", std::string("floor")}});
  }

  // Always under its own name: a raw output is requested by it.
  std::string head(const Layer& layer, const std::vector<std::string>& inputs) {
    const bool joined = inputs.size() > 1, narrow = type_ != OnnxType::float32;
    const std::string whole =
        joined ? out_.node("Concat", inputs, narrow ? layer.name + ".half" : layer.name,
                           {{"axis", std::int64_t{1}}})
               : inputs.front();
    if (narrow) return cast(whole, layer.name, OnnxType::float32);
    return joined ? whole : out_.node("Identity", {whole}, layer.name);
  }

  const Graph& graph_;
  const GraphWeights& weights_;
  std::vector<int> sides_;  ///< by layer
  OnnxType type_;
  OnnxWriter& out_;
  std::vector<std::string> results_;
};

void raw_outputs(const Graph& graph, const OnnxDimension& batch, OnnxWriter& out) {
  const std::vector<int> sides = output_sides(graph, graph.side);
  for (const int output : graph.outputs) {
    const auto index = static_cast<std::size_t>(output);
    const Layer& head = graph.layers[index];
    std::vector<OnnxDimension> shape{batch, std::int64_t{head.channels}};
    if (head.head_stride > 0) shape.insert(shape.end(), 2, std::int64_t{sides[index]});
    out.output(head.name, shape);
  }
}

}  // namespace

std::string to_onnx(const Graph& graph, const GraphWeights& weights, const OnnxOptions& options) {
  OnnxWriter out;
  const OnnxDimension batch = options.batch > 0 ? OnnxDimension(std::int64_t{options.batch})
                                                : OnnxDimension(std::string("batch"));
  out.input("images", {batch, std::int64_t{3}, std::int64_t{graph.side}, std::int64_t{graph.side}});
  const OnnxType type = options.half ? OnnxType::float16 : OnnxType::float32;
  const std::vector<std::string> heads = LayerWriter(graph, weights, type, out).write("images");
  switch (options.output) {
    case OnnxOutput::raw:
      raw_outputs(graph, batch, out);
      break;
    case OnnxOutput::decoded:
      write_decoded(graph, heads, batch, out);
      break;
    case OnnxOutput::detections:
      write_detections(graph, heads, options, out);
      break;
    case OnnxOutput::ultralytics:
      write_ultralytics(graph, heads, batch, out);
      break;
  }
  return out.finish(graph.model, options.metadata);
}

}  // namespace letterpress
