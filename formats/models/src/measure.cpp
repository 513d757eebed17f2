#include "layer_fields.h"
#include "letterpress/base/error.h"
#include "letterpress/models/graph.h"

namespace letterpress {
namespace {

int window_side(const Layer& layer, int side) {
  const int end = layer.padding_end < 0 ? layer.padding : layer.padding_end;
  const int room = side + layer.padding + end - layer.kernel;
  return room < 0 ? 0 : room / layer.stride + 1;
}

int output_side(const Layer& layer, const std::vector<int>& sides) {
  const int side = sides[static_cast<std::size_t>(layer.inputs.front())];
  switch (layer.kind) {
    case LayerKind::conv:
    case LayerKind::max_pool:
    case LayerKind::average_pool:
      return window_side(layer, side);
    case LayerKind::upsample:
      return side * layer.stride;
    case LayerKind::linear:
    case LayerKind::flatten:
      return 1;
    default:
      return side;
  }
}

}  // namespace

std::vector<int> output_sides(const Graph& graph, int side) {
  std::vector<int> sides{side};
  for (std::size_t i = 1; i < graph.layers.size(); ++i) {
    const Layer& layer = graph.layers[i];
    const auto fail = [&](const std::string& what) {
      throw Error(
          {.where = where(i, layer),
           .what = what + " wide when the pictures are " + std::to_string(side) + " pixels wide",
           .fix = "choose another side (a multiple of 32)"});
    };
    for (const int input : layer.inputs) {
      const int first = sides[static_cast<std::size_t>(layer.inputs.front())],
                other = sides[static_cast<std::size_t>(input)];
      if (first != other)
        fail("its inputs are " + std::to_string(first) + " and " + std::to_string(other));
    }
    sides.push_back(output_side(layer, sides));
    if (sides.back() < 1 || sides.back() > 1 << 16)
      fail("its output would be " + std::to_string(sides.back()));
  }
  return sides;
}

int kernel_channels(const Graph& graph, const Layer& layer) {
  return graph.layers[static_cast<std::size_t>(layer.inputs.front())].channels / layer.groups;
}

GraphSize measure(const Graph& graph) {
  const std::vector<int> sides = output_sides(graph, graph.side);
  GraphSize size;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    const Layer& layer = graph.layers[i];
    if (layer.kind != LayerKind::conv && layer.kind != LayerKind::linear) continue;
    const std::int64_t channels = layer.channels;
    const std::int64_t weights =
        channels * kernel_channels(graph, layer) * layer.kernel * layer.kernel;
    size.parameters += weights + (layer.norm ? 2 : 1) * channels;
    if (layer.norm) size.norm_statistics += 2 * channels;
    if (layer.kind == LayerKind::conv)
      size.gflops += 2e-9 * static_cast<double>(weights) * sides[i] * sides[i];
  }
  return size;
}

}  // namespace letterpress
