#include "registry.h"

#include "letterpress/base/registry.h"

namespace letterpress {
namespace {

std::vector<const ModelEntry*>& entries() {
  static std::vector<const ModelEntry*> all{&yolov3,  &yolov3_tiny, &yolov8n,
                                            &yolov8s, &yolov8m,     &yolo11n,
                                            &yolo11s, &yolo11m,     &minigooglenet};
  return all;
}

}  // namespace

Graph make_model(const std::string& name, const ModelOptions& options) {
  Graph graph = find_entry(entries(), "model", name).make(options);
  validate(graph);
  return graph;
}

std::vector<ModelInfo> model_infos() {
  std::vector<ModelInfo> infos;
  for (const ModelEntry* entry : entries())
    infos.push_back({entry->name, entry->help, entry->anchors});
  return infos;
}

void add_model(const ModelEntry& entry) { entries().push_back(&entry); }

}  // namespace letterpress
