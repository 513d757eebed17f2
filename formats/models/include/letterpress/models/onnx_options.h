#pragma once
#include <map>
#include <string>

#include "letterpress/base/detection_defaults.h"

namespace letterpress {

/// What an exported model returns. B pictures, P predictions of a picture (head after head, in each
/// (y * w + x) * A + anchor), C classes; boxes are x1 y1 x2 y2 in pixels of the letterboxed frame.
enum class OnnxOutput {
  /// Per head "<layer name>": float [B, A * (5 + C), h, w], logits; without anchors
  /// [B, 4 * 16 + C, h, w].
  raw,
  decoded,  ///< "boxes" float [B, P, 4] and "scores" float [B, P, C], 0..1
  /// "detections" float [n, 7]: picture x1 y1 x2 y2 score class, after suppression; by picture,
  /// class
  /// (not agnostic), score.
  detections,
  /// "output0" float [B, 4 + C, P]: centre x y, width, height, pixels of the frame, and the scores:
  /// what programs take that expect Ultralytics' exports.
  ultralytics,
};

struct OnnxOptions {
  OnnxOutput output = OnnxOutput::decoded;
  int batch = 0;      ///< pictures at once; 0: any number
  bool half = false;  ///< weights and layers in float16, half the size; input, outputs stay float32
  bool int8 = false;  ///< is to be quantised: the metadata leave out what float32 promises
  float confidence = kDefaultConfidence;  ///< detections: lower scores are dropped
  float iou = kDefaultIou;                ///< detections: suppression above this overlap
  /// detections: per picture and class, or per picture when agnostic
  int max_detections = kDefaultMaxDetections;
  /// detections: suppression over all classes together, with each box's best one; iou < 1
  bool agnostic = false;
  /// Letterbox rule, class names, ...: metadata_props of the file.
  std::map<std::string, std::string> metadata{};
};

}  // namespace letterpress
