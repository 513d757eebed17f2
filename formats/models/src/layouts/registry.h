#pragma once
#include "letterpress/models/graph.h"

namespace letterpress {

// The shipped models; a model's file ends in its entry.
extern const ModelEntry minigooglenet, yolo11m, yolo11n, yolo11s, yolov3, yolov3_tiny, yolov8m,
    yolov8n, yolov8s;

}  // namespace letterpress
