#include "trainer/network/freeze.h"

#include <fnmatch.h>

#include <algorithm>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

bool has_weights(const Layer& layer) { return layer.kind == LayerKind::conv || layer.kind == LayerKind::linear; }

bool feeds_an_output(const Graph& graph, std::size_t index) {
  return std::any_of(graph.outputs.begin(), graph.outputs.end(), [&](int output) {
    const std::vector<int>& inputs = graph.layers[static_cast<std::size_t>(output)].inputs;
    return std::find(inputs.begin(), inputs.end(), static_cast<int>(index)) != inputs.end();
  });
}

bool freezes(const Graph& graph, std::size_t index, const std::string& freeze) {
  const Layer& layer = graph.layers[index];
  if (freeze == "backbone") return layer.stage == "backbone";
  if (freeze == "all-but-head") return !feeds_an_output(graph, index);
  return fnmatch(freeze.c_str(), layer.name.c_str(), 0) == 0;
}

}  // namespace

std::set<std::string> layers_to_freeze(const Graph& graph, const std::string& freeze) {
  std::set<std::string> names;
  if (freeze == "none") return names;
  std::string known;
  std::size_t with_weights = 0;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    if (!has_weights(graph.layers[i])) continue;
    ++with_weights;
    known += (known.empty() ? "" : ", ") + graph.layers[i].name;
    if (freezes(graph, i, freeze)) names.insert(graph.layers[i].name);
  }
  if (names.empty()) {
    throw Error("--freeze is '" + freeze + "', which no layer of " + graph.model +
                    " is called; must be none, backbone, all-but-head or a pattern of: " + known,
                Exit::usage);
  }
  if (names.size() == with_weights) throw Error("--freeze '" + freeze + "' leaves no layer of " + graph.model + " to train", Exit::usage);
  return names;
}

}  // namespace letterpress
