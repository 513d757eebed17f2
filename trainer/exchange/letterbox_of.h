#pragma once
#include <string>

#include "letterpress/shards/letterbox.h"

namespace letterpress {

/// How a training system puts pictures into frames, by its name: keras-yolo3, ultralytics, yolox.
/// Throws Error (usage) listing the known ones, nearest first.
LetterboxRule letterbox_of(const std::string& system);
/// Names of the systems: "keras-yolo3, ultralytics, yolox".
std::string letterbox_systems();

}  // namespace letterpress
