#pragma once
#include <functional>
#include <string>

#include "builder.h"

namespace letterpress {

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

/// What the layouts without anchors share: parts of the backbone, path aggregation, and at strides
/// 8, 16 and 32 a head with one branch for boxes (distances as distributions, arXiv:2006.04388) and
/// one for classes.
class PyramidBuilder {
 public:
  /// Appends a block's layers after `input`, `full_width` wide before the scale; returns its
  /// output.
  using Block = std::function<int(const std::string& name, int input, int full_width)>;
  /// Appends `hidden` wide layers; returns the one that the class convolution reads.
  using ClassBranch = std::function<int(const std::string& name, int input, int hidden)>;

  PyramidBuilder(Graph& graph, const ModelScale& scale)
      : graph_(graph), layers_(graph, {.activation = Activation::silu}), scale_(scale) {}

  GraphBuilder& layers() { return layers_; }
  int channels(int layer) const { return graph_.layers[static_cast<std::size_t>(layer)].channels; }
  int width(int full) const;
  int repeats(int full) const;

  /// Two 3x3 convolutions, `hidden` wide in between; residual: with their input added.
  int bottleneck(const std::string& name, int input, int hidden, bool residual);
  /// Spatial pyramid pooling, arXiv:1406.4729: three chained 5x5 windows see 5, 9 and 13 cells.
  int pooled(const std::string& name, int input);
  /// Path aggregation, arXiv:1803.01534: down from the coarse end to the fine one, and up again.
  Pyramid neck(const Pyramid& backbone, const Block& block);
  void heads(const Pyramid& pyramid, const ClassBranch& class_branch);

 private:
  int box_branch(const std::string& name, int input, int hidden);

  Graph& graph_;
  GraphBuilder layers_;
  ModelScale scale_;
};

}  // namespace letterpress
