#include "trainer/detection/decode.h"

#include "letterpress/base/error.h"
#include "trainer/detection/anchor_head.h"

namespace letterpress {

Candidates decode_outputs(const Graph& graph, const std::vector<torch::Tensor>& outputs, int side) {
  torch::NoGradGuard no_gradient;
  const std::vector<AnchorHead> heads = anchor_heads(graph);
  if (outputs.size() != heads.size())
    throw Error("decoding: got " + std::to_string(outputs.size()) + " outputs, the graph has " + std::to_string(heads.size()), Exit::bug);
  std::vector<torch::Tensor> boxes, scores;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::int64_t height = outputs[i].size(2), width = outputs[i].size(3);
    if (height * heads[i].stride != side || width * heads[i].stride != side)
      throw Error("decoding: output " + std::to_string(i) + " has " + std::to_string(height) + "x" + std::to_string(width) + " cells of " +
                      std::to_string(heads[i].stride) + " pixels, the frame " + std::to_string(side) + " pixels",
                  Exit::bug);
    const torch::Tensor predictions = head_predictions(heads[i], outputs[i]);
    boxes.push_back(decode_boxes(heads[i], predictions, height, width));
    scores.push_back(predictions.narrow(2, 4, 1).sigmoid() * predictions.narrow(2, 5, graph.classes).sigmoid());
  }
  return {torch::cat(boxes, 1), torch::cat(scores, 1)};
}

}  // namespace letterpress
