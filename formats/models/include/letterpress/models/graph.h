#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "letterpress/shards/letterbox.h"

namespace letterpress {

/// The kinds of layers a model is made of. flatten: [B, C, h, w] -> [B, C h w]. head: an output of
/// the model; several inputs are joined channel after channel (box, then class), so that a scale
/// has one output however many branches make it. What a head's channels are:
///   with anchors           x y w h objectness class... of each anchor
///   without, head_stride   distances to the left, top, right and bottom edge, each a
///                          distribution over 0, 1, ... strides; class...
///   of the whole picture   class...; its head_stride is 0
/// attention: every cell looks at all others (scaled dot product, arXiv:1706.03762). Its input has,
/// for each of attention_heads, the channels of query, key (key_channels each) and value; its
/// output the values' channels, head after head: [B, H (2 K + V), h, w] -> [B, H V, h, w].
enum class LayerKind {
  input,
  conv,
  max_pool,
  average_pool,
  upsample,
  concat,
  add,
  slice,
  linear,
  dropout,
  flatten,
  head,
  attention
};
enum class Activation { none, leaky_relu, relu, silu };  ///< leaky slope 0.1 (Darknet)

/// One node. Fields that its kind does not use keep their defaults.
struct Layer {
  std::string name{};  ///< unique letters, digits, '_', '-'; prefix of its tensors:
                       ///< "<name>.weight", ".bias", ".norm.weight", ".norm.bias",
                       ///< ".norm.mean", ".norm.var"
  LayerKind kind = LayerKind::input;
  std::vector<int> inputs{};   ///< indices of earlier layers
  int channels = 0;            ///< of the output
  int kernel = 1, stride = 1;  ///< conv, pools, upsample (stride = factor)
  int padding = 0;             ///< conv, pools: zeros (pool: -inf) left and top
  int padding_end = -1;        ///< the same right and bottom; -1: as padding
  int groups = 1;              ///< conv: parts of the channels that do not see each other
  bool norm = false;           ///< batch normalisation after a conv without bias
  double norm_epsilon = 1e-5;
  double norm_momentum = 0.1;  ///< as PyTorch's: weight of the new batch
  Activation activation = Activation::none;
  int slice_first = 0;                        ///< slice: first channel; `channels` many
  int attention_heads = 0, key_channels = 0;  ///< attention; the latter of one head
  double dropout = 0;                         ///< probability
  std::string stage{};                        ///< "backbone", "neck", "head": what --freeze names
  int head_stride = 0;                        ///< head: pixels per cell; 0: of the whole picture
  /// head: which anchors; empty: none (anchor-free, or of the whole picture)
  std::vector<int> anchor_mask{};
};

/// A model as data: module, parameter count, freeze stages, Darknet cfg and ONNX are derived from
/// it; it travels as JSON in the checkpoint.
struct Graph {
  std::string model{};  ///< registry name: "yolov3-tiny"
  std::string loss{};   ///< registry name: "yolov3"
  int classes = 0;
  int side = 416;                 ///< pixels; what it was made for
  std::vector<Layer> layers{};    ///< layers[0] is the input, 3 channels
  std::vector<int> outputs{};     ///< head layers, coarse to fine
  std::vector<double> anchors{};  ///< w0 h0 w1 h1 ... pixels of the frame, by area ascending
  std::vector<double> mean{};     ///< R G B, 0..1, subtracted from the pictures; empty: nothing
  double ignore_iou = 0.5;        ///< objectness ignore threshold
};

/// Throws Error naming the layer and field where the graph is inconsistent: values out of range or
/// of another kind, inputs that are not earlier, channels or sides that do not fit, outputs that
/// are not heads. Every function below trusts a graph that passed.
void validate(const Graph& graph);

struct ModelOptions {
  int classes = 80;
  int side = 416;  ///< multiple of 32
  /// As Graph's; empty: the model's published ones, scaled by side / 416.
  std::vector<double> anchors{};
  bool published_masks = false;  ///< heads use of `anchors` what the published ones do, as weights
                                 ///< trained with them expect, not each its share of all
  std::vector<double> mean{};    ///< as Graph's, for models that subtract it
};

/// The named model. Throws Error listing the known names, nearest first, or saying which option
/// does not fit.
Graph make_model(const std::string& name, const ModelOptions& options);
struct ModelInfo {
  std::string name, help;
  int anchors;
};
std::vector<ModelInfo> model_infos();

/// A named model.
struct ModelEntry {
  const char* name;
  const char* help;
  int anchors;  ///< 0: it has none
  Graph (*make)(const ModelOptions& options);
};
/// Adds a model to the named ones of this process; `entry` stays alive. For a model of one's own
/// beside the shipped ones. Call it before other threads ask for models.
void add_model(const ModelEntry& entry);

struct GraphSize {
  std::int64_t parameters = 0;       ///< trainable: kernels, biases, norm weights and biases
  std::int64_t norm_statistics = 0;  ///< means and variances
  double gflops = 0;                 ///< 2 * multiply-adds of the convolutions at `side`
};
GraphSize measure(const Graph& graph);
/// Height and width of each layer's output for a side x side input, by layer (1 once flattened).
/// Throws Error naming the layer where the side does not fit: nothing is left of it, or two joined
/// branches differ.
std::vector<int> output_sides(const Graph& graph, int side);

/// How many of its input's channels a kernel of a convolution or linear layer reads.
int kernel_channels(const Graph& graph, const Layer& layer);

/// Whether it gives the whole picture a class instead of boxes: its head is of the whole picture.
bool is_classifier(const Graph& graph);

/// Rows of an output layer's tensors: `groups` times `shared` rows (boxes, objectness), then one
/// per class.
struct ClassRows {
  int groups = 1, shared = 0;
  bool operator==(const ClassRows&) const = default;
};
/// Of the layers with a row per class, by name: those that heads read last.
std::map<std::string, ClassRows> class_rows(const Graph& graph);

/// One object: version (1), the fields of Graph, layers as a list of objects with the fields of
/// Layer that differ from their defaults.
std::string to_json(const Graph& graph);
/// Validated. Throws Error naming the layer and field when the text is not a graph: unknown kind or
/// field, wrong type, newer version.
Graph graph_from_json(const std::string& text);

}  // namespace letterpress
