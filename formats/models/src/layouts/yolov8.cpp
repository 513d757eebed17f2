#include "pyramid_builder.h"
#include "registry.h"

namespace letterpress {
namespace {

class Yolov8Builder {
 public:
  Yolov8Builder(Graph& graph, const ModelScale& scale) : pyramid_(graph, scale) {}

  void build() {
    const auto block = [this](const std::string& name, int input, int full_width) {
      return split_block(name, input, full_width, 3, false);
    };
    const auto class_branch = [this](const std::string& name, int input, int hidden) {
      const int first = layers().conv(name + "_first", input, hidden, 3);
      return layers().conv(name + "_second", first, hidden, 3);
    };
    pyramid_.heads(pyramid_.neck(backbone(), block), class_branch);
  }

 private:
  GraphBuilder& layers() { return pyramid_.layers(); }

  /// Cross-stage partial block, arXiv:1911.11929: one half of a 1x1 goes through residual blocks,
  /// and all results are joined.
  int split_block(const std::string& name, int input, int full_width, int full_repeats,
                  bool residual) {
    const int width = pyramid_.width(full_width);
    const int whole = layers().conv(name + "_split", input, width, 1), half = width / 2;
    std::vector<int> parts{whole};
    int x = layers().slice(name + "_half", whole, half, half);
    for (int i = 1; i <= pyramid_.repeats(full_repeats); ++i) {
      x = pyramid_.bottleneck(name + "_block" + std::to_string(i), x, half, residual);
      parts.push_back(x);
    }
    return layers().conv(name + "_join", layers().concat(name + "_concat", parts), width, 1);
  }

  Pyramid backbone() {
    int x = layers().conv("stem", 0, pyramid_.width(64), 3, 2);
    std::vector<int> ends;
    for (const auto& [full_width, full_repeats] :
         {std::pair{128, 3}, std::pair{256, 6}, std::pair{512, 6}, std::pair{1024, 3}}) {
      const std::string stage = "stage" + std::to_string(ends.size() + 1);
      x = layers().conv(stage + "_down", x, pyramid_.width(full_width), 3, 2);
      x = split_block(stage, x, full_width, full_repeats, true);
      ends.push_back(x);
    }
    return {ends[1], ends[2], pyramid_.pooled("pooling", x)};
  }

  PyramidBuilder pyramid_;
};

Graph make_yolov8(const char* name, const ModelScale& scale, const ModelOptions& options) {
  Graph graph{.model = name, .loss = "task-aligned"};
  set_options(graph, options, {});
  Yolov8Builder(graph, scale).build();
  return graph;
}

}  // namespace

/// The layout known as YOLOv8, without anchors: a cross-stage partial backbone, path aggregation
/// and three heads. Made by one function in three sizes.
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
