#include "pyramid_builder.h"

#include <algorithm>
#include <cmath>

namespace letterpress {
namespace {

constexpr int kBins = 16;  // of a distance's distribution: 0 to 15 strides

}  // namespace

int PyramidBuilder::width(int full) const {
  return 8 * static_cast<int>(std::ceil(std::min(full, scale_.widest) * scale_.width / 8));
}

int PyramidBuilder::repeats(int full) const {
  return std::max(1, static_cast<int>(std::lround(full * scale_.depth)));
}

int PyramidBuilder::bottleneck(const std::string& name, int input, int hidden, bool residual) {
  const int first = layers_.conv(name + "_first", input, hidden, 3),
            second = layers_.conv(name + "_second", first, channels(input), 3);
  return residual ? layers_.add(name + "_add", {second, input}) : second;
}

int PyramidBuilder::pooled(const std::string& name, int input) {
  std::vector<int> parts{layers_.conv(name + "_reduce", input, channels(input) / 2, 1)};
  for (int i = 1; i <= 3; ++i)
    parts.push_back(layers_.max_pool(name + "_pool" + std::to_string(i), parts.back(), 5, 1));
  return layers_.conv(name + "_join", layers_.concat(name + "_concat", parts), channels(input), 1);
}

Pyramid PyramidBuilder::neck(const Pyramid& backbone, const Block& block) {
  layers_.begin_stage("neck");
  const auto up = [this](const std::string& name, int coarse, int fine) {
    return layers_.concat(name + "_concat_up",
                          {layers_.upsample(name + "_upsample", coarse, 2), fine});
  };
  const int middle = block("neck16", up("neck16", backbone.coarse, backbone.middle), 512);
  const int fine = block("neck8", up("neck8", middle, backbone.fine), 256);
  const auto down = [this](const std::string& name, int fine_end, int full_width, int coarse) {
    return layers_.concat(
        name + "_concat_down",
        {layers_.conv(name + "_down", fine_end, width(full_width), 3, 2), coarse});
  };
  const int middle_again = block("scale16", down("scale16", fine, 256, middle), 512);
  const int coarse_again =
      block("scale32", down("scale32", middle_again, 512, backbone.coarse), 1024);
  return {fine, middle_again, coarse_again};
}

int PyramidBuilder::box_branch(const std::string& name, int input, int hidden) {
  const int first = layers_.conv(name + "_first", input, hidden, 3),
            second = layers_.conv(name + "_second", first, hidden, 3);
  return layers_.output_conv(name + "_output", second, 4 * kBins);
}

void PyramidBuilder::heads(const Pyramid& pyramid, const ClassBranch& class_branch) {
  layers_.begin_stage("head");
  const int finest = channels(pyramid.fine);
  const int box_width = std::max({16, finest / 4, 4 * kBins}),
            class_width = std::max(finest, std::min(graph_.classes, 100));
  for (const auto& [stride, input] :
       {std::pair{32, pyramid.coarse}, std::pair{16, pyramid.middle}, std::pair{8, pyramid.fine}}) {
    const std::string name = "head" + std::to_string(stride);
    const int box = box_branch(name + "_box", input, box_width);
    const int hidden = class_branch(name + "_class", input, class_width);
    const int classes = layers_.output_conv(name + "_class_output", hidden, graph_.classes);
    layers_.distance_head(name, {box, classes}, stride);
  }
}

}  // namespace letterpress
