#include "trainer/losses/registry.h"

#include <array>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"

namespace letterpress {

extern const LossEntry yolov3_loss;

static constexpr std::array entries{&yolov3_loss};

std::unique_ptr<Loss> make_loss(const Graph& graph) {
  for (const LossEntry* entry : entries)
    if (entry->name == graph.loss) return entry->make(graph);
  std::vector<std::string> known;
  for (const LossEntry* entry : entries) known.push_back(entry->name);
  throw Error(unknown_name("loss", graph.loss, known));
}

std::vector<LossInfo> loss_infos() {
  std::vector<LossInfo> infos;
  for (const LossEntry* entry : entries) infos.push_back({entry->name, entry->help});
  return infos;
}

}  // namespace letterpress
