#include "pyramid_builder.h"
#include "registry.h"

namespace letterpress {
namespace {

constexpr int kRepeats = 2;         // of every block, before the depth's factor
constexpr int kInner = 2;           // residual blocks in a nested one
constexpr int kValueChannels = 64;  // of an attention head
constexpr int kKeyChannels = 32;

/// How a split block differs from another: hidden channels / output's, and what its parts are.
struct BlockShape {
  double share = 0.5;
  bool nested = false;
};

class Yolo11Builder {
 public:
  Yolo11Builder(Graph& graph, const ModelScale& scale, bool nested_everywhere)
      : pyramid_(graph, scale), nested_everywhere_(nested_everywhere) {}

  void build() {
    const auto block = [this](const std::string& name, int input, int full_width) {
      return split_block(name, input, full_width, {.nested = name == "scale32"});
    };
    const auto class_branch = [this](const std::string& name, int input, int hidden) {
      return separable(name + "_second", separable(name + "_first", input, hidden), hidden);
    };
    pyramid_.heads(pyramid_.neck(backbone(), block), class_branch);
  }

 private:
  GraphBuilder& layers() { return pyramid_.layers(); }

  /// A 3x3 of each channel, then a 1x1 over them, arXiv:1610.02357.
  int separable(const std::string& name, int input, int channels) {
    return layers().conv(name, layers().depthwise_conv(name + "_depth", input, 3), channels, 1);
  }

  /// Cross-stage partial block in a part of another, arXiv:1911.11929, its two halves made by a 1x1
  /// each.
  int nested_block(const std::string& name, int input) {
    const int channels = pyramid_.channels(input), half = channels / 2;
    int x = layers().conv(name + "_split", input, half, 1);
    for (int i = 1; i <= kInner; ++i)
      x = pyramid_.bottleneck(name + "_inner" + std::to_string(i), x, half, true);
    const int side = layers().conv(name + "_side", input, half, 1);
    return layers().conv(name + "_join", layers().concat(name + "_concat", {x, side}), channels, 1);
  }

  /// One half of a 1x1 goes through residual blocks, plain ones or nested ones, and all results are
  /// joined.
  int split_block(const std::string& name, int input, int full_width, const BlockShape& shape) {
    const int width = pyramid_.width(full_width), half = static_cast<int>(width * shape.share);
    const int whole = layers().conv(name + "_split", input, 2 * half, 1);
    std::vector<int> parts{whole};
    int x = layers().slice(name + "_half", whole, half, half);
    for (int i = 1; i <= pyramid_.repeats(kRepeats); ++i) {
      const std::string block = name + "_block" + std::to_string(i);
      x = shape.nested || nested_everywhere_ ? nested_block(block, x)
                                             : pyramid_.bottleneck(block, x, half / 2, true);
      parts.push_back(x);
    }
    return layers().conv(name + "_join", layers().concat(name + "_concat", parts), width, 1);
  }

  /// Attention over all cells; where a value stands is told by a 3x3 of each of its channels.
  int attention(const std::string& name, int input) {
    const int channels = pyramid_.channels(input), heads = channels / kValueChannels;
    const int all = layers().without_activation(
        layers().conv(name + "_qkv", input, channels + 2 * heads * kKeyChannels, 1));
    const int seen = layers().attention(name + "_attend", all, heads, kKeyChannels);
    std::vector<int> values;
    for (int i = 0; i < heads; ++i) {
      const int first = i * (2 * kKeyChannels + kValueChannels) + 2 * kKeyChannels;
      values.push_back(
          layers().slice(name + "_value" + std::to_string(i + 1), all, first, kValueChannels));
    }
    const int places = layers().without_activation(
        layers().depthwise_conv(name + "_position", layers().concat(name + "_values", values), 3));
    const int placed = layers().add(name + "_placed", {seen, places});
    return layers().without_activation(layers().conv(name + "_project", placed, channels, 1));
  }

  /// Partial self-attention, arXiv:2405.14458: one half of a 1x1 goes through attention and a small
  /// network of each cell, residual both.
  int attention_block(const std::string& name, int input) {
    const int width = pyramid_.channels(input), half = width / 2;
    const int whole = layers().conv(name + "_split", input, width, 1);
    const int kept = layers().slice(name + "_kept", whole, 0, half);
    int x = layers().slice(name + "_half", whole, half, half);
    for (int i = 1; i <= pyramid_.repeats(kRepeats); ++i) {
      const std::string block = name + "_block" + std::to_string(i);
      x = layers().add(block + "_add", {x, attention(block, x)});
      const int wide = layers().conv(block + "_widen", x, 2 * half, 1);
      const int narrow =
          layers().without_activation(layers().conv(block + "_narrow", wide, half, 1));
      x = layers().add(block + "_sum", {x, narrow});
    }
    return layers().conv(name + "_join", layers().concat(name + "_concat", {kept, x}), width, 1);
  }

  Pyramid backbone() {
    struct Stage {
      int down, width;
      BlockShape shape;
    };
    int x = layers().conv("stem", 0, pyramid_.width(64), 3, 2);
    std::vector<int> ends;
    for (const Stage& wanted :
         {Stage{128, 256, {.share = 0.25}}, Stage{256, 512, {.share = 0.25}},
          Stage{512, 512, {.nested = true}}, Stage{1024, 1024, {.nested = true}}}) {
      const std::string stage = "stage" + std::to_string(ends.size() + 1);
      x = layers().conv(stage + "_down", x, pyramid_.width(wanted.down), 3, 2);
      x = split_block(stage, x, wanted.width, wanted.shape);
      ends.push_back(x);
    }
    return {ends[1], ends[2], attention_block("attention", pyramid_.pooled("pooling", x))};
  }

  PyramidBuilder pyramid_;
  bool nested_everywhere_;
};

Graph make_yolo11(const char* name, const ModelScale& scale, bool nested_everywhere,
                  const ModelOptions& options) {
  Graph graph{.model = name, .loss = "task-aligned"};
  set_options(graph, options, {});
  Yolo11Builder(graph, scale, nested_everywhere).build();
  return graph;
}

}  // namespace

/// The layout known as YOLO11: YOLOv8's pyramid and heads, with narrower and nested split blocks,
/// attention at stride 32, and separable convolutions in the class branches. From the published
/// tables of its architecture and from exported ONNX files.
constinit const ModelEntry yolo11n{
    "yolo11n", "YOLO11n: without anchors, attention at stride 32, 2.6 M parameters", 0,
    [](const ModelOptions& options) {
      return make_yolo11("yolo11n", {.50, .25, 1024}, false, options);
    }};
constinit const ModelEntry yolo11s{
    "yolo11s", "YOLO11s: the same with twice the widths, 9.4 M parameters", 0,
    [](const ModelOptions& options) {
      return make_yolo11("yolo11s", {.50, .50, 1024}, false, options);
    }};
constinit const ModelEntry yolo11m{
    "yolo11m", "YOLO11m: the same, wider, its blocks nested everywhere, 20 M parameters", 0,
    [](const ModelOptions& options) {
      return make_yolo11("yolo11m", {.50, 1.0, 512}, true, options);
    }};

}  // namespace letterpress
