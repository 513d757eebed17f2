#pragma once
#include "letterpress/models/graph.h"

namespace letterpress {

/// One named model; a model's file ends in its entry.
struct ModelEntry {
  const char* name;
  const char* help;
  int anchors;
  Graph (*make)(const ModelOptions& options);
};

extern const ModelEntry yolov3, yolov3_tiny;

}  // namespace letterpress
