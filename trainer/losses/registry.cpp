#include "trainer/losses/registry.h"

#include <array>

#include "letterpress/base/registry.h"

namespace letterpress {

extern const LossEntry task_aligned_loss, yolov3_loss;

static constexpr std::array entries{&task_aligned_loss, &yolov3_loss};

std::unique_ptr<Loss> make_loss(const Graph& graph) { return find_entry(entries, "loss", graph.loss, Exit::data).make(graph); }

std::vector<LossInfo> loss_infos() { return infos_of<LossInfo>(entries); }

}  // namespace letterpress
