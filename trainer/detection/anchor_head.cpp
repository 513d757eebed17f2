#include "trainer/detection/anchor_head.h"

#include "letterpress/base/error.h"
#include "trainer/detection/cells.h"

namespace letterpress {
namespace {

constexpr double kLargestExponent = 15;

}  // namespace

AnchorHead anchor_head(const Graph& graph, const Layer& layer) {
  const int known = static_cast<int>(graph.anchors.size() / 2);
  if (layer.head_stride < 1)
    throw Error(
        {.where = "layer " + layer.name,
         .what = "head_stride is " + std::to_string(layer.head_stride) + ", must be 1 or more"});
  AnchorHead head{
      .stride = layer.head_stride, .anchors = layer.anchor_mask, .widths = {}, .heights = {}};
  if (head.anchors.empty())
    throw Error({.where = "layer " + layer.name,
                 .what = "an output needs anchors, its anchor_mask is empty"});
  for (const int anchor : head.anchors) {
    if (anchor < 0 || anchor >= known)
      throw Error({.where = "layer " + layer.name,
                   .what = "anchor_mask names anchor " + std::to_string(anchor) +
                           ", the graph has 0.." + std::to_string(known - 1)});
    head.widths.push_back(graph.anchors[static_cast<std::size_t>(2 * anchor)]);
    head.heights.push_back(graph.anchors[static_cast<std::size_t>(2 * anchor + 1)]);
  }
  return head;
}

std::vector<AnchorHead> anchor_heads(const Graph& graph) {
  std::vector<AnchorHead> heads;
  for (const int output : graph.outputs)
    heads.push_back(anchor_head(graph, graph.layers.at(static_cast<std::size_t>(output))));
  return heads;
}

torch::Tensor head_predictions(const AnchorHead& head, const torch::Tensor& output) {
  const auto anchors = static_cast<std::int64_t>(head.anchors.size());
  const std::int64_t values = output.size(1) / anchors;
  return output.permute({0, 2, 3, 1}).reshape({output.size(0), -1, values}).to(torch::kFloat);
}

torch::Tensor decode_boxes(const AnchorHead& head, const torch::Tensor& predictions,
                           std::int64_t height, std::int64_t width) {
  const auto anchors = static_cast<std::int64_t>(head.anchors.size());
  const torch::Tensor grid =
      predictions.narrow(2, 0, 4).reshape({predictions.size(0), height, width, anchors, 4});
  const torch::TensorOptions options =
      torch::TensorOptions(torch::kFloat).device(predictions.device());
  const torch::Tensor x =
      (grid.select(4, 0).sigmoid() + count_from(0, width, options).view({1, width, 1})) *
      head.stride;
  const torch::Tensor y =
      (grid.select(4, 1).sigmoid() + count_from(0, height, options).view({height, 1, 1})) *
      head.stride;
  const torch::Tensor scale = grid.narrow(4, 2, 2).clamp_max(kLargestExponent).exp();
  // Anchors are used as scalars, one at a time: a tensor of them would be a copy from the host,
  // which waits.
  std::vector<torch::Tensor> half_widths, half_heights;
  for (std::int64_t a = 0; a < anchors; ++a) {
    half_widths.push_back(scale.select(3, a).select(3, 0) *
                          (head.widths[static_cast<std::size_t>(a)] / 2));
    half_heights.push_back(scale.select(3, a).select(3, 1) *
                           (head.heights[static_cast<std::size_t>(a)] / 2));
  }
  const torch::Tensor half_width = torch::stack(half_widths, 3),
                      half_height = torch::stack(half_heights, 3);
  return torch::stack({x - half_width, y - half_height, x + half_width, y + half_height}, 4)
      .reshape({predictions.size(0), -1, 4});
}

torch::Tensor cell_centres(const AnchorHead& head, std::int64_t height, std::int64_t width,
                           torch::Device device) {
  const auto anchors = static_cast<std::int64_t>(head.anchors.size());
  const torch::Tensor centres =
      cell_centres(head.stride, height, width, torch::TensorOptions(torch::kFloat).device(device));
  return centres.unsqueeze(1).expand({-1, anchors, -1}).reshape({-1, 2});
}

}  // namespace letterpress
