#include "trainer/losses/registry.h"

#include <array>

#include "letterpress/base/error.h"
#include "letterpress/base/registry.h"

namespace letterpress {

extern const LossEntry cross_entropy_loss, task_aligned_loss, yolov3_loss;

static constexpr std::array entries{&cross_entropy_loss, &task_aligned_loss, &yolov3_loss};

std::unique_ptr<Loss> make_loss(const Graph& graph, const LossOptions& options) {
  const auto n = static_cast<std::size_t>(graph.classes);
  if (!(options.label_smoothing >= 0 && options.label_smoothing < 1)) {
    throw Error("label smoothing is " + c10::str(options.label_smoothing) +
                    ", must be 0 or more and under 1",
                Exit::usage);
  }
  if (!options.class_weights.empty() && options.class_weights.size() != n) {
    throw Error({.where = "class weights",
                 .what = "got " + std::to_string(options.class_weights.size()) +
                         ", the model has " + std::to_string(n) + " classes"},
                Exit::usage);
  }
  return find_entry(entries, "loss", graph.loss, Exit::data).make(graph, options);
}

std::vector<EntryInfo> loss_infos() { return infos_of(entries); }

void check_outputs(const std::string& loss, const std::vector<torch::Tensor>& outputs,
                   const std::vector<std::int64_t>& channels) {
  if (outputs.size() != channels.size())
    throw Error({.where = "loss " + loss,
                 .what = "got " + std::to_string(outputs.size()) + " outputs, the graph has " +
                         std::to_string(channels.size())},
                Exit::bug);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (outputs[i].dim() != 4 || outputs[i].size(1) != channels[i])
      throw Error(
          {.where = "loss " + loss,
           .what = "output " + std::to_string(i) + " must be [B, " + std::to_string(channels[i]) +
                   ", h, w], is " + c10::str(outputs[i].sizes())},
          Exit::bug);
  }
}

}  // namespace letterpress
