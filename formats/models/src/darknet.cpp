#include "letterpress/models/darknet.h"

#include <sstream>

#include "graph_tensor.h"
#include "layer_fields.h"
#include "letterpress/base/error.h"

namespace letterpress {
namespace {

constexpr double kReadersEpsilon = 1e-6;  // what Darknet and OpenCV add to a variance

class CfgWriter {
 public:
  explicit CfgWriter(const Graph& graph) : graph_(graph) {
    cfg_ << "[net]\nbatch=1\nsubdivisions=1\nwidth=" << graph.side << "\nheight=" << graph.side
         << "\nchannels=3\n";
  }

  std::string write() {
    if (!graph_.mean.empty()) refuse(0, "a mean that is subtracted");
    sections_.push_back(-1);  // the picture
    for (std::size_t i = 1; i < graph_.layers.size(); ++i) sections_.push_back(layer(i));
    return cfg_.str();
  }

 private:
  [[noreturn]] void refuse(std::size_t index, const std::string& what) const {
    throw Error(
        {.where = graph_.model,
         .what = where(index, graph_.layers[index]) + ": Darknet has no section for " + what,
         .fix = "export to ONNX"},
        Exit::configuration);
  }

  int section_of(int layer) const { return sections_[static_cast<std::size_t>(layer)]; }

  // A section reads the one before it: a [route] goes in between where a layer reads another.
  void read(int section, std::size_t reader) {
    if (section == last_) return;
    if (section < 0) refuse(reader, "a second reader of the picture");
    begin("route") << "layers=" << section << "\n";
  }

  std::ostream& begin(const std::string& section) {
    ++last_;
    return cfg_ << "\n[" << section << "]\n";
  }

  int layer(std::size_t index) {
    const Layer& layer = graph_.layers[index];
    switch (layer.kind) {
      case LayerKind::conv:
        return convolution(index, layer);
      case LayerKind::max_pool:
        return max_pool(index, layer);
      case LayerKind::upsample:
        read(section_of(layer.inputs.front()), index);
        begin("upsample") << "stride=" << layer.stride << "\n";
        return last_;
      case LayerKind::concat:
        return concat(layer);
      case LayerKind::add:
        return shortcut(index, layer);
      case LayerKind::dropout:
        return section_of(layer.inputs.front());  // nothing in evaluation
      case LayerKind::head:
        return yolo(index, layer);
      default:
        refuse(index, "its kind");
    }
  }

  std::string activation(std::size_t index) const {
    switch (graph_.layers[index].activation) {
      case Activation::none:
        return "linear";
      case Activation::leaky_relu:
        return "leaky";
      case Activation::relu:
        return "relu";
      case Activation::silu:
        break;
    }
    refuse(index, "activation silu");
  }

  int convolution(std::size_t index, const Layer& layer) {
    if (layer.padding_end >= 0 && layer.padding_end != layer.padding)
      refuse(index, "uneven padding");
    read(section_of(layer.inputs.front()), index);
    std::ostream& out = begin("convolutional");
    if (layer.norm) out << "batch_normalize=1\n";
    out << "filters=" << layer.channels << "\nsize=" << layer.kernel << "\nstride=" << layer.stride;
    out << (layer.padding == layer.kernel / 2 ? "\npad=1"
                                              : "\npadding=" + std::to_string(layer.padding));
    if (layer.groups > 1) out << "\ngroups=" << layer.groups;
    out << "\nactivation=" << activation(index) << "\n";
    return last_;
  }

  // Darknet's padding is that of both ends together, the smaller half first; its default is size
  // - 1.
  int max_pool(std::size_t index, const Layer& layer) {
    const int total = layer.padding + (layer.padding_end < 0 ? layer.padding : layer.padding_end);
    if (layer.padding != total / 2) refuse(index, "this padding");
    read(section_of(layer.inputs.front()), index);
    begin("maxpool") << "size=" << layer.kernel << "\nstride=" << layer.stride << "\n";
    if (total != layer.kernel - 1) cfg_ << "padding=" << total << "\n";
    return last_;
  }

  int concat(const Layer& layer) {
    std::ostream& out = begin("route") << "layers=";
    for (std::size_t i = 0; i < layer.inputs.size(); ++i)
      out << (i ? "," : "") << section_of(layer.inputs[i]);
    out << "\n";
    return last_;
  }

  int shortcut(std::size_t index, const Layer& layer) {
    if (layer.inputs.size() != 2)
      refuse(index, "a sum of " + std::to_string(layer.inputs.size()) + " inputs");
    const int first = section_of(layer.inputs[0]), second = section_of(layer.inputs[1]);
    const int other = second == last_ ? first : second;
    read(other == first ? second : first, index);
    begin("shortcut") << "from=" << other << "\nactivation=" << activation(index) << "\n";
    return last_;
  }

  int yolo(std::size_t index, const Layer& layer) {
    if (layer.anchor_mask.empty() || layer.inputs.size() != 1)
      refuse(index, "a head without anchors");
    read(section_of(layer.inputs.front()), index);
    std::ostream& out = begin("yolo") << "mask=";
    for (std::size_t i = 0; i < layer.anchor_mask.size(); ++i)
      out << (i ? "," : "") << layer.anchor_mask[i];
    out << "\nanchors=";
    for (std::size_t i = 0; i < graph_.anchors.size(); ++i)
      out << (i ? "," : "") << graph_.anchors[i];
    out << "\nclasses=" << graph_.classes << "\nnum=" << graph_.anchors.size() / 2
        << "\nignore_thresh=" << graph_.ignore_iou << "\n";
    return last_;
  }

  const Graph& graph_;
  std::ostringstream cfg_;
  std::vector<int> sections_;  // by layer
  int last_ = -1;              // section written last
};

}  // namespace

std::string to_darknet_cfg(const Graph& graph) { return CfgWriter(graph).write(); }

std::vector<float> to_darknet_values(const Graph& graph, const GraphWeights& weights) {
  std::vector<float> values;
  const auto append = [&](std::span<const float> tensor) {
    values.insert(values.end(), tensor.begin(), tensor.end());
  };
  for (const Layer& layer : graph.layers) {
    if (layer.kind != LayerKind::conv) continue;
    if (layer.norm) {
      for (const char* tensor : {"norm.bias", "norm.weight", "norm.mean"})
        append(graph_tensor(weights, layer, tensor, layer.channels));
      for (const float variance : graph_tensor(weights, layer, "norm.var", layer.channels))
        values.push_back(static_cast<float>(variance + layer.norm_epsilon - kReadersEpsilon));
    } else {
      append(graph_tensor(weights, layer, "bias", layer.channels));
    }
    append(graph_tensor(weights, layer, "weight", weight_values(graph, layer)));
  }
  return values;
}

}  // namespace letterpress
