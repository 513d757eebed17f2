#include "letterpress/models/graph.h"

namespace letterpress {

constexpr int kBoxRows = 5;  // of an anchor: x y w h objectness

bool is_classifier(const Graph& graph) {
  return graph.layers[static_cast<std::size_t>(graph.outputs.front())].head_stride == 0;
}

std::map<std::string, ClassRows> class_rows(const Graph& graph) {
  std::map<std::string, ClassRows> rows;
  for (const int output : graph.outputs) {
    const Layer& head = graph.layers[static_cast<std::size_t>(output)];
    const Layer& last = graph.layers[static_cast<std::size_t>(head.inputs.back())];
    const int anchors = static_cast<int>(head.anchor_mask.size());
    rows[last.name] =
        anchors > 0 ? ClassRows{anchors, kBoxRows} : ClassRows{1, last.channels - graph.classes};
  }
  return rows;
}

}  // namespace letterpress
