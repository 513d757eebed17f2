#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/base/detection_defaults.h"
#include "letterpress/shards/letterbox.h"
#include "letterpress/shards/tiles.h"
#include "trainer/checkpoint/promised.h"

namespace letterpress {

struct CheckpointInfo;

/// How a network is used: what predict needs besides the weights.
struct NetworkUse {
  int side = 0;  ///< pixels of a frame
  std::vector<std::string> classes{};
  LetterboxRule letterbox{};
  std::optional<TileRule> tiles{};         ///< that frames show; none: whole pictures
  double confidence = kDefaultConfidence;  ///< from which detections count
  std::optional<Promised> promised{};      ///< what that promises
};
NetworkUse use_of(const CheckpointInfo& info);
/// Of describe()'s metadata of an ONNX file (onnx_description.h), which do not say how many false
/// detections a promise costs. Throws Error without the file's name: naming the key, or
/// (configuration) where the outputs are not boxes and scores.
NetworkUse use_of(const std::map<std::string, std::string>& metadata);

}  // namespace letterpress
