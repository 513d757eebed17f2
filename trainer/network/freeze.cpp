#include "trainer/network/freeze.h"

#include <fnmatch.h>

#include <algorithm>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"

namespace letterpress {
namespace {

bool has_weights(const Layer& layer) {
  return layer.kind == LayerKind::conv || layer.kind == LayerKind::linear;
}

bool feeds_an_output(const Graph& graph, std::size_t index) {
  return std::any_of(graph.outputs.begin(), graph.outputs.end(), [&](int output) {
    const std::vector<int>& inputs = graph.layers[static_cast<std::size_t>(output)].inputs;
    return std::find(inputs.begin(), inputs.end(), static_cast<int>(index)) != inputs.end();
  });
}

bool freezes(const Graph& graph, std::size_t index, const std::string& freeze) {
  const Layer& layer = graph.layers[index];
  if (freeze == "all-but-head") return !feeds_an_output(graph, index);
  return layer.stage == freeze || fnmatch(freeze.c_str(), layer.name.c_str(), 0) == 0;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

std::set<std::string> layers_to_freeze(const Graph& graph, const std::string& freeze) {
  std::set<std::string> names;
  if (freeze == "none") return names;
  std::vector<std::string> known{"none", "all-but-head"};
  bool some_train = false;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    const Layer& layer = graph.layers[i];
    if (!has_weights(layer) && layer.kind != LayerKind::dropout) continue;
    add_once(known, layer.stage);
    add_once(known, layer.name);
    if (freezes(graph, i, freeze)) {
      names.insert(layer.name);
    } else {
      some_train |= has_weights(layer);
    }
  }
  if (names.empty())
    throw Error({.where = "--freeze",
                 .what = unknown_name("stage, layer or pattern of layers", freeze, known)},
                Exit::usage);
  if (!some_train)
    throw Error("--freeze '" + freeze + "' leaves no layer of " + graph.model + " to train",
                Exit::usage);
  return names;
}

}  // namespace letterpress
