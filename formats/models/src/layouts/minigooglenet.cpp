#include "builder.h"
#include "letterpress/base/error.h"
#include "registry.h"

namespace letterpress {
namespace {

constexpr int kMostSide = 224;  // pixels

class MiniGoogLeNetBuilder {
 public:
  MiniGoogLeNetBuilder(Graph& graph, GraphBuilder& builder) : graph_(graph), builder_(builder) {}

  void build() {
    x_ = builder_.conv("stem", 0, 96, 3);
    inception(32, 32);
    inception(32, 48);
    downsample(80);
    inception(112, 48);
    inception(96, 64);
    inception(80, 80);
    inception(48, 96);
    downsample(96);
    inception(176, 160);
    inception(176, 160);
    builder_.begin_stage("head");
    // The mean of what is left: 7 x 7 of 32 x 32 pixels.
    x_ = builder_.average_pool("mean", x_, output_sides(graph_, graph_.side).back());
    x_ = builder_.dropout("dropout", builder_.flatten("flat", x_), 0.5);
    builder_.class_head("head", builder_.linear("linear", x_, graph_.classes));
  }

 private:
  std::string next_name(const std::string& what) { return what + std::to_string(++modules_); }

  void inception(int narrow, int wide) {
    const std::string name = next_name("inception");
    x_ = builder_.concat(name, {builder_.conv(name + "_1x1", x_, narrow, 1),
                                builder_.conv(name + "_3x3", x_, wide, 3)});
  }

  void downsample(int channels) {
    const std::string name = next_name("downsample");
    x_ = builder_.concat(name, {builder_.valid_conv(name + "_3x3", x_, channels, 3, 2),
                                builder_.valid_max_pool(name + "_pool", x_, 3, 2)});
  }

  Graph& graph_;
  GraphBuilder& builder_;
  int x_ = 0, modules_ = 0;
};

Graph make_minigooglenet(const ModelOptions& options) {
  Graph graph{.model = "minigooglenet", .loss = "cross-entropy"};
  set_options(graph, options, {});
  if (options.side > kMostSide)
    throw Error({.where = "model minigooglenet",
                 .what = "side is " + std::to_string(options.side) + ", must be 32 to " +
                         std::to_string(kMostSide) + ": it is for small pictures"},
                Exit::configuration);
  graph.mean = options.mean;
  GraphBuilder builder(graph, {.activation = Activation::relu});
  MiniGoogLeNetBuilder(graph, builder).build();
  return graph;
}

}  // namespace

/// The small GoogLeNet of arXiv:1611.03530 (appendix A), for pictures of 32 pixels; each
/// convolution with a norm and without a bias. It subtracts the mean of the set's pictures.
constinit const ModelEntry minigooglenet{
    "minigooglenet",
    "a class for the whole picture: small GoogLeNet for CIFAR-10, 1.7 M parameters", 0,
    make_minigooglenet};

}  // namespace letterpress
