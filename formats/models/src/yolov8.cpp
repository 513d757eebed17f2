#include <algorithm>
#include <cmath>

#include "builder.h"
#include "registry.h"

namespace letterpress {
namespace {

constexpr int kBins = 16;  // of a distance's distribution: 0 to 15 strides

/// One layout in several sizes: factors of the repeats and of the widths, and the widest layer
/// before its factor.
struct ModelScale {
  double depth, width;
  int widest;
};

/// Ends of the pyramid at strides 8, 16 and 32.
struct Pyramid {
  int fine, middle, coarse;
};

class Yolov8Builder {
 public:
  Yolov8Builder(Graph& graph, const ModelScale& scale)
      : graph_(graph), builder_(graph, {.activation = Activation::silu}), scale_(scale) {}

  void build() {
    const Pyramid pyramid = neck(backbone());
    const int finest = channels(pyramid.fine);
    builder_.begin_stage("head");
    head(32, pyramid.coarse, finest);
    head(16, pyramid.middle, finest);
    head(8, pyramid.fine, finest);
  }

 private:
  int channels(int layer) const { return graph_.layers[static_cast<std::size_t>(layer)].channels; }
  int width(int full) const {
    return 8 * static_cast<int>(std::ceil(std::min(full, scale_.widest) * scale_.width / 8));
  }
  int repeats(int full) const {
    return std::max(1, static_cast<int>(std::lround(full * scale_.depth)));
  }

  /// Cross-stage partial block, arXiv:1911.11929: one half of a 1x1 goes through residual blocks,
  /// and all results are joined.
  int split_block(const std::string& name, int input, int full_width, int full_repeats,
                  bool residual) {
    const int whole = builder_.conv(name + "_split", input, width(full_width), 1),
              half = width(full_width) / 2;
    std::vector<int> parts{whole};
    int x = builder_.slice(name + "_half", whole, half, half);
    for (int i = 1; i <= repeats(full_repeats); ++i) {
      const std::string block = name + "_block" + std::to_string(i);
      const int first = builder_.conv(block + "_first", x, half, 3),
                second = builder_.conv(block + "_second", first, half, 3);
      x = residual ? builder_.add(block + "_add", {second, x}) : second;
      parts.push_back(x);
    }
    return builder_.conv(name + "_join", builder_.concat(name + "_concat", parts),
                         width(full_width), 1);
  }

  /// Spatial pyramid pooling, arXiv:1406.4729: three chained 5x5 windows see 5, 9 and 13 cells.
  int pooled(const std::string& name, int input) {
    std::vector<int> parts{builder_.conv(name + "_reduce", input, channels(input) / 2, 1)};
    for (int i = 1; i <= 3; ++i)
      parts.push_back(builder_.max_pool(name + "_pool" + std::to_string(i), parts.back(), 5, 1));
    return builder_.conv(name + "_join", builder_.concat(name + "_concat", parts), channels(input),
                         1);
  }

  Pyramid backbone() {
    int x = builder_.conv("stem", 0, width(64), 3, 2);
    std::vector<int> ends;
    for (const auto& [full_width, full_repeats] :
         {std::pair{128, 3}, std::pair{256, 6}, std::pair{512, 6}, std::pair{1024, 3}}) {
      const std::string stage = "stage" + std::to_string(ends.size() + 1);
      x = builder_.conv(stage + "_down", x, width(full_width), 3, 2);
      x = split_block(stage, x, full_width, full_repeats, true);
      ends.push_back(x);
    }
    return {ends[1], ends[2], pooled("pooling", x)};
  }

  /// Path aggregation, arXiv:1803.01534: down from the coarse end to the fine one, and up again.
  Pyramid neck(const Pyramid& backbone) {
    builder_.begin_stage("neck");
    const auto up = [this](const std::string& name, int coarse, int fine) {
      return builder_.concat(name + "_concat_up",
                             {builder_.upsample(name + "_upsample", coarse, 2), fine});
    };
    const int middle =
        split_block("neck16", up("neck16", backbone.coarse, backbone.middle), 512, 3, false);
    const int fine = split_block("neck8", up("neck8", middle, backbone.fine), 256, 3, false);
    const auto down = [this](const std::string& name, int fine_end, int full_width, int coarse) {
      return builder_.concat(
          name + "_concat_down",
          {builder_.conv(name + "_down", fine_end, width(full_width), 3, 2), coarse});
    };
    const int middle_again =
        split_block("scale16", down("scale16", fine, 256, middle), 512, 3, false);
    const int coarse_again =
        split_block("scale32", down("scale32", middle_again, 512, backbone.coarse), 1024, 3, false);
    return {fine, middle_again, coarse_again};
  }

  int branch(const std::string& name, int input, int hidden, int outputs) {
    const int first = builder_.conv(name + "_first", input, hidden, 3),
              second = builder_.conv(name + "_second", first, hidden, 3);
    return builder_.output_conv(name + "_output", second, outputs);
  }

  void head(int stride, int input, int finest) {
    const std::string name = "head" + std::to_string(stride);
    const int box = branch(name + "_box", input, std::max({16, finest / 4, 4 * kBins}), 4 * kBins);
    const int classes = branch(name + "_class", input,
                               std::max(finest, std::min(graph_.classes, 100)), graph_.classes);
    builder_.distance_head(name, {box, classes}, stride);
  }

  Graph& graph_;
  GraphBuilder builder_;
  ModelScale scale_;
};

Graph make_yolov8(const char* name, const ModelScale& scale, const ModelOptions& options) {
  Graph graph{.model = name, .loss = "task-aligned"};
  set_options(graph, options, {});
  Yolov8Builder(graph, scale).build();
  return graph;
}

}  // namespace

/// The layout known as YOLOv8, without anchors: a cross-stage partial backbone, path aggregation,
/// and at strides 8, 16 and 32 a head with one branch for boxes (distances as distributions,
/// arXiv:2006.04388) and one for classes. Made by one function in three sizes.
constinit const ModelEntry yolov8n{
    "yolov8n",
    "YOLOv8n: without anchors, three scales, 3.2 M parameters; from scratch on small sets, too", 0,
    [](const ModelOptions& options) {
      return make_yolov8("yolov8n", {.33, .25, 1024}, options);
    }};
constinit const ModelEntry yolov8s{"yolov8s",
                                   "YOLOv8s: the same with twice the widths, 11 M parameters", 0,
                                   [](const ModelOptions& options) {
                                     return make_yolov8("yolov8s", {.33, .50, 1024}, options);
                                   }};
constinit const ModelEntry yolov8m{"yolov8m",
                                   "YOLOv8m: the same, wider and twice as deep, 26 M parameters", 0,
                                   [](const ModelOptions& options) {
                                     return make_yolov8("yolov8m", {.67, .75, 768}, options);
                                   }};

}  // namespace letterpress
