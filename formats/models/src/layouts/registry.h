#pragma once
#include "letterpress/models/graph.h"

namespace letterpress {

/// One named model; a model's file ends in its entry.
struct ModelEntry {
  const char* name;
  const char* help;
  int anchors;  ///< 0: it has none
  Graph (*make)(const ModelOptions& options);
};

extern const ModelEntry minigooglenet, yolo11m, yolo11n, yolo11s, yolov3, yolov3_tiny, yolov8m,
    yolov8n, yolov8s;

}  // namespace letterpress
