#include "trainer/detection/decode.h"

#include "letterpress/base/error.h"
#include "trainer/detection/anchor_head.h"
#include "trainer/detection/distance_head.h"

namespace letterpress {
namespace {

Candidates decode_anchors(const AnchorHead& head, const torch::Tensor& output) {
  const torch::Tensor predictions = head_predictions(head, output);
  const torch::Tensor classes = predictions.narrow(2, 5, predictions.size(2) - 5);
  return {decode_boxes(head, predictions, output.size(2), output.size(3)),
          predictions.narrow(2, 4, 1).sigmoid() * classes.sigmoid()};
}

Candidates decode_distances(const DistanceHead& head, const torch::Tensor& output) {
  const DistancePredictions predictions = distance_predictions(head, output);
  return {boxes_around(predictions.points, mean_distances(predictions.distances) * head.stride),
          predictions.classes.sigmoid()};
}

}  // namespace

Candidates decode_outputs(const Graph& graph, const std::vector<torch::Tensor>& outputs, int side) {
  torch::NoGradGuard no_gradient;
  if (outputs.size() != graph.outputs.size())
    throw Error({.where = "decoding",
                 .what = "got " + std::to_string(outputs.size()) + " outputs, the graph has " +
                         std::to_string(graph.outputs.size())},
                Exit::bug);
  std::vector<torch::Tensor> boxes, scores;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Layer& layer = graph.layers.at(static_cast<std::size_t>(graph.outputs[i]));
    const std::int64_t height = outputs[i].size(2), width = outputs[i].size(3);
    const Candidates found = layer.anchor_mask.empty()
                                 ? decode_distances(distance_head(graph, layer), outputs[i])
                                 : decode_anchors(anchor_head(graph, layer), outputs[i]);
    if (height * layer.head_stride != side || width * layer.head_stride != side)
      throw Error(
          {.where = "decoding",
           .what = "output " + std::to_string(i) + " has " + std::to_string(height) + "x" +
                   std::to_string(width) + " cells of " + std::to_string(layer.head_stride) +
                   " pixels, the frame " + std::to_string(side) + " pixels"},
          Exit::bug);
    boxes.push_back(found.boxes);
    scores.push_back(found.scores);
  }
  return {torch::cat(boxes, 1), torch::cat(scores, 1)};
}

}  // namespace letterpress
