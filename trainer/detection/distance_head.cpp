#include "trainer/detection/distance_head.h"

#include "letterpress/base/error.h"
#include "trainer/detection/cells.h"

namespace letterpress {

DistanceHead distance_head(const Graph& graph, const Layer& layer) {
  if (layer.head_stride < 1)
    throw Error(
        {.where = "layer " + layer.name,
         .what = "head_stride is " + std::to_string(layer.head_stride) + ", must be 1 or more"});
  const int boxes = layer.channels - graph.classes;
  if (boxes < 8 || boxes % 4 != 0)
    throw Error({.where = "layer " + layer.name,
                 .what = "an output without anchors needs four distances of two bins or more and " +
                         std::to_string(graph.classes) + " classes, has " +
                         std::to_string(layer.channels) + " channels"});
  return {layer.head_stride, boxes / 4};
}

DistancePredictions distance_predictions(const DistanceHead& head, const torch::Tensor& output) {
  const torch::Tensor values =
      output.to(torch::promote_types(output.scalar_type(), torch::kFloat)).permute({0, 2, 3, 1});
  const std::int64_t boxes = 4 * head.bins, classes = output.size(1) - boxes;
  return {values.narrow(3, 0, boxes).reshape({output.size(0), -1, 4, head.bins}),
          values.narrow(3, boxes, classes).reshape({output.size(0), -1, classes}),
          cell_centres(head.stride, output.size(2), output.size(3), values.options())};
}

torch::Tensor mean_distances(const torch::Tensor& logits) {
  return logits.softmax(-1).matmul(count_from(0, logits.size(-1), logits.options()));
}

torch::Tensor boxes_around(const torch::Tensor& points, const torch::Tensor& distances) {
  return torch::cat({points - distances.narrow(2, 0, 2), points + distances.narrow(2, 2, 2)}, 2);
}

}  // namespace letterpress
