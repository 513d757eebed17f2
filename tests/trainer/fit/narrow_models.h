#pragma once
#include <algorithm>
#include <string>

#include "letterpress/models/graph.h"

namespace letterpress {

/// A shipped model with an eighth of the channels, for tests of what is around a model: an epoch
/// of a few small pictures and its checkpoint take a tenth of the time.
inline Graph narrowed(const std::string& model, const ModelOptions& options) {
  Graph graph = make_model(model, options);
  graph.model = "narrow-" + model;
  for (Layer& layer : graph.layers) {
    const auto of = [&](int input) {
      return graph.layers[static_cast<std::size_t>(input)].channels;
    };
    if (layer.kind == LayerKind::conv && layer.norm) {
      layer.channels = std::max(2, layer.channels / 8);
    } else if (layer.kind == LayerKind::concat) {
      layer.channels = 0;
      for (const int input : layer.inputs) layer.channels += of(input);
    } else if (layer.kind == LayerKind::max_pool || layer.kind == LayerKind::average_pool ||
               layer.kind == LayerKind::upsample || layer.kind == LayerKind::dropout) {
      layer.channels = of(layer.inputs[0]);
    } else if (layer.kind == LayerKind::flatten) {
      layer.channels = of(layer.inputs[0]);  // of one cell: the models pool before it
    }
  }
  validate(graph);
  return graph;
}

inline constexpr ModelEntry kNarrowDetector{
    "narrow-yolov3-tiny", "yolov3-tiny with an eighth of its channels", 6,
    [](const ModelOptions& options) { return narrowed("yolov3-tiny", options); }};
inline constexpr ModelEntry kNarrowClassifier{
    "narrow-minigooglenet", "minigooglenet with an eighth of its channels", 0,
    [](const ModelOptions& options) { return narrowed("minigooglenet", options); }};

inline const bool kNarrowModelsAreNamed = [] {
  add_model(kNarrowDetector);
  add_model(kNarrowClassifier);
  return true;
}();

}  // namespace letterpress
