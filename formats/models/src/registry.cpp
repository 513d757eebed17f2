#include "registry.h"

#include <array>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"

namespace letterpress {
namespace {

constexpr std::array entries{&yolov3, &yolov3_tiny};

}  // namespace

Graph make_model(const std::string& name, const ModelOptions& options) {
  std::vector<std::string> known;
  for (const ModelEntry* entry : entries) {
    if (name == entry->name) {
      Graph graph = entry->make(options);
      validate(graph);
      return graph;
    }
    known.emplace_back(entry->name);
  }
  throw Error(unknown_name("model", name, known), Exit::usage);
}

std::vector<ModelInfo> model_infos() {
  std::vector<ModelInfo> infos;
  for (const ModelEntry* entry : entries) infos.push_back({entry->name, entry->help, entry->anchors});
  return infos;
}

}  // namespace letterpress
