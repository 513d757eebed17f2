#pragma once
#include <string>
#include <utility>
#include <vector>

#include "letterpress/models/graph.h"

namespace letterpress {

/// How a model's convolutions are made; a convolution's own values are arguments.
struct ConvStyle {
  Activation activation = Activation::leaky_relu;
  double norm_epsilon = 1e-3;   ///< keras-yolo3's and YOLOX's
  double norm_momentum = 0.03;  ///< YOLOX's: Darknet's .01 is too slow for a small set's few steps
};

/// Appends layers to a graph; each function returns the index of the layer it added.
class GraphBuilder {
 public:
  GraphBuilder(Graph& graph, ConvStyle style);

  void begin_stage(std::string stage) { stage_ = std::move(stage); }
  /// Convolution without bias + batch norm + activation, same size (kernel / 2 zeros around) when
  /// stride is 1.
  int conv(const std::string& name, int input, int channels, int kernel, int stride = 1);
  /// As conv, each channel by itself: as many channels as the input.
  int depthwise_conv(const std::string& name, int input, int kernel);
  /// Takes the activation from a convolution that was just added, and returns it.
  int without_activation(int layer);
  /// 1x1 with bias, no norm, no activation.
  int output_conv(const std::string& name, int input, int channels);
  /// As conv, without padding.
  int valid_conv(const std::string& name, int input, int channels, int kernel, int stride);
  /// As many cells as input / stride.
  int max_pool(const std::string& name, int input, int kernel, int stride);
  /// Without padding.
  int valid_max_pool(const std::string& name, int input, int kernel, int stride);
  int average_pool(const std::string& name, int input, int kernel);  ///< windows side by side
  int upsample(const std::string& name, int input, int factor);
  int concat(const std::string& name, std::vector<int> inputs);
  int add(const std::string& name, std::vector<int> inputs);
  int slice(const std::string& name, int input, int first, int channels);
  /// Over `heads` of key_channels each; see LayerKind.
  int attention(const std::string& name, int input, int heads, int key_channels);
  int anchor_head(const std::string& name, int input, int stride, std::vector<int> anchor_mask);
  /// An output without anchors.
  int distance_head(const std::string& name, std::vector<int> box_and_classes, int stride);
  int flatten(const std::string& name, int input);
  int dropout(const std::string& name, int input, double probability);
  int linear(const std::string& name, int input, int channels);
  int class_head(const std::string& name, int input);  ///< an output of the whole picture

 private:
  int append(Layer layer);
  int side(int layer) const {
    return output_sides(graph_, graph_.side)[static_cast<std::size_t>(layer)];
  }
  int channels(int layer) const { return graph_.layers[static_cast<std::size_t>(layer)].channels; }

  Graph& graph_;
  ConvStyle style_;
  std::string stage_;
};

/// Fills side, classes and the anchors: the caller's, else `published` (pixels at 416) scaled to
/// the side.
void set_options(Graph& graph, const ModelOptions& options, const std::vector<double>& published);

}  // namespace letterpress
