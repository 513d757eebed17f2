#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/shards/letterbox.h"

namespace letterpress {

/// The kinds of layers a model is made of.
enum class LayerKind { input, conv, max_pool, average_pool, upsample, concat, add, slice, linear, dropout, flatten, head };
enum class Activation { none, leaky_relu, relu, silu };  ///< leaky slope 0.1 (Darknet)

/// One node. Fields that its kind does not use keep their defaults.
struct Layer {
  std::string name;  ///< unique; prefix of its tensors: "<name>.weight", ".bias", ".norm.weight", ".norm.bias", ".norm.mean", ".norm.var"
  LayerKind kind = LayerKind::input;
  std::vector<int> inputs;     ///< indices of earlier layers
  int channels = 0;            ///< of the output
  int kernel = 1, stride = 1;  ///< conv, pools, upsample (stride = factor)
  int padding = 0;             ///< conv, pools: zeros (pool: -inf) left and top; right and bottom too unless padding_end says otherwise
  int padding_end = -1;        ///< -1: as padding
  bool norm = false;           ///< batch normalisation after a conv without bias
  double norm_epsilon = 1e-5, norm_momentum = 0.1;  ///< momentum as PyTorch's: weight of the new batch
  Activation activation = Activation::none;
  int slice_first = 0;           ///< slice: first channel; `channels` many
  double dropout = 0;            ///< probability
  std::string stage;             ///< "backbone", "neck", "head": what --freeze names
  int head_stride = 0;           ///< head: pixels per cell
  std::vector<int> anchor_mask;  ///< head: which anchors
};

/// A model as data: module, parameter count, freeze stages, Darknet cfg and ONNX are derived from it; it travels as JSON in the checkpoint.
struct Graph {
  std::string model;  ///< registry name: "yolov3-tiny"
  std::string loss;   ///< registry name: "yolov3"
  int classes = 0;
  int side = 416;               ///< pixels; what it was made for
  std::vector<Layer> layers;    ///< layers[0] is the input, 3 channels
  std::vector<int> outputs;     ///< head layers, coarse to fine
  std::vector<double> anchors;  ///< w0 h0 w1 h1 ... pixels of the frame, by area ascending
  double ignore_iou = 0.5;      ///< objectness ignore threshold
};

struct ModelOptions {
  int classes = 80;
  int side = 416;               ///< multiple of 32
  std::vector<double> anchors;  ///< empty: the model's published ones, scaled by side / 416
};

/// The named model. Throws Error listing the known names, nearest first.
Graph make_model(const std::string& name, const ModelOptions& options);
struct ModelInfo {
  std::string name, help;
  int anchors;
};
std::vector<ModelInfo> model_infos();

struct GraphSize {
  std::int64_t parameters = 0;       ///< trainable
  std::int64_t norm_statistics = 0;  ///< means and variances
  double gflops = 0;                 ///< 2 * multiply-adds of the convolutions at `side`
};
GraphSize measure(const Graph& graph);
/// Height and width of each layer's output for a side x side input, by layer.
std::vector<int> output_sides(const Graph& graph, int side);

std::string to_json(const Graph& graph);
/// Throws Error naming the layer and field when the text is no graph: unknown kind, input not earlier, channels that do not fit.
Graph graph_from_json(const std::string& text);

}  // namespace letterpress
