#include "trainer/exchange/onnx_description.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "letterpress/base/detection_defaults.h"
#include "trainer/checkpoint/promised.h"

namespace letterpress {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFramePixels = "pixels of the frame; of the picture: (x - offset) / scale";

std::string size_of(const LetterboxRule& rule) {
  const std::string limit = rule.scale == LetterboxRule::Scale::fit ? "" : ", 1";
  const std::string rounding = rule.rounding == LetterboxRule::Rounding::nearest
                                   ? "to the nearest whole pixel, halves to even"
                                   : "down to whole pixels";
  return "width and height times min(side / width, side / height" + limit + "), rounded " +
         rounding + ", 1 at least";
}

std::string place_of(const LetterboxRule& rule) {
  return rule.place == LetterboxRule::Alignment::centre
             ? "offset (side - size) / 2, rounded down, along each axis"
             : "offset 0";
}

std::string resize_of(const LetterboxRule& rule) {
  const std::string kernel =
      rule.resize == LetterboxRule::Resize::linear
          ? "triangle of radius 1, widened by 1 / scale where that is over 1.5"
          : "cubic, a = -0.5, of radius 2, widened by 1 / scale where that is over 1";
  return kernel +
         "; a pixel's centre is at i + 0.5; scale: of each axis, size / source size as float32";
}

Json pixels_of(const LetterboxRule& rule) {
  return {{"definition", "docs/reference/pixels.md"},
          {"colour", "RGB; grey is repeated, alpha is dropped"},
          {"orientation", "EXIF's is applied first"},
          {"decode",
           "JPEG: accurate DCT at the smallest of 1/8, 1/4, 1/2 and 1 that is not below the larger "
           "scale, interpolated chroma; all others whole"},
          {"size", size_of(rule)},
          {"place", place_of(rule)},
          {"resize", resize_of(rule)},
          {"rounding",
           "weights to 1/16384; lines are blended first, columns then, each rounded to levels; a "
           "JPEG's lines that is decoded whole are blended as luma and chroma"},
          {"outside", "grey level " + std::to_string(rule.fill)},
          {"values", "level / 255"},
          {"layout", "NCHW"}};
}

Json raw_outputs(const Graph& graph) {
  Json outputs;
  for (const int output : graph.outputs)
    outputs[graph.layers.at(static_cast<std::size_t>(output)).name] = {{"values", "logits"}};
  return outputs;
}

Json outputs_of(const Graph& graph, const OnnxOptions& options) {
  const Json corners{"x1", "y1", "x2", "y2"};
  switch (options.output) {
    case OnnxOutput::decoded:
      return {{"boxes", {{"columns", corners}, {"boxes", kFramePixels}}},
              {"scores", {{"columns", "one per class, 0..1"}}}};
    case OnnxOutput::detections:
      return {{"detections",
               {{"columns", {"picture", "x1", "y1", "x2", "y2", "score", "class"}},
                {"order", options.agnostic ? "picture, then score from high to low"
                                           : "picture, class, then score from high to low"},
                {"boxes", kFramePixels}}}};
    case OnnxOutput::ultralytics:
      return {{"output0",
               {{"rows", {"centre x", "centre y", "width", "height", "a score per class, 0..1"}},
                {"boxes", kFramePixels}}}};
    case OnnxOutput::raw:
      break;
  }
  return raw_outputs(graph);
}

// What predict does with the boxes where nothing else is asked of it, and what is in the file.
Json suppression_of(const OnnxOptions& options, bool in_tiles) {
  const bool in_file = options.output == OnnxOutput::detections;
  Json rule{{"in_file", in_file},
            {"confidence", options.confidence},
            {"iou", options.iou},
            {"classes", options.agnostic ? "together" : "each by itself"},
            {"max_detections", options.max_detections},
            {"max_detections_per", in_file && !options.agnostic ? "picture and class" : "picture"}};
  if (in_tiles) rule["before_merging"] = std::min(options.confidence, kCountedConfidence);
  return rule;
}

/// What Ultralytics' AutoBackend looks for in an exported file; names is a Python dict.
void describe_for_ultralytics(const CheckpointInfo& info, int batch,
                              std::map<std::string, std::string>& metadata) {
  std::string names;
  for (std::size_t i = 0; i < info.classes.size(); ++i)
    names += (i ? ", " : "") + std::to_string(i) + ": " + nlohmann::json(info.classes[i]).dump();
  const std::string side = std::to_string(info.graph.side);
  metadata["task"] = "detect";
  metadata["names"] = "{" + names + "}";
  metadata["stride"] = "32";
  metadata["batch"] = std::to_string(std::max(batch, 1));
  metadata["imgsz"] = "[" + side + ", " + side + "]";
}

}  // namespace

bool keeps_promise(const Promised& promised, const OnnxOptions& options) {
  const OnnxOptions measured;
  const bool suppresses = options.output == OnnxOutput::detections;
  return !options.half && !options.int8 &&
         options.confidence == static_cast<float>(promised.confidence) &&
         (!suppresses || (options.iou == measured.iou && !options.agnostic &&
                          options.max_detections >= measured.max_detections));
}

std::map<std::string, std::string> describe(const CheckpointInfo& info,
                                            const OnnxOptions& options) {
  std::map<std::string, std::string> metadata{{"model", info.graph.model},
                                              {"side", std::to_string(info.graph.side)},
                                              {"classes", nlohmann::json(info.classes).dump()},
                                              {"snapshot_digest", info.snapshot_digest},
                                              {"letterbox", to_json(info.letterbox)},
                                              {"pixels", pixels_of(info.letterbox).dump()},
                                              {"outputs", outputs_of(info.graph, options).dump()}};
  const auto tiles = tiles_of_frames(info);
  if (tiles) metadata["tiles"] = to_json(*tiles);
  if (!is_classifier(info.graph))
    metadata["suppression"] = suppression_of(options, tiles.has_value()).dump();
  if (options.output == OnnxOutput::ultralytics)
    describe_for_ultralytics(info, options.batch, metadata);
  if (const auto promised = promised_of(info); promised && keeps_promise(*promised, options))
    metadata["promise"] = nlohmann::json{{"recall", promised->recall},
                                         {"probability", promised->probability},
                                         {"confidence", promised->confidence}}
                              .dump();
  return metadata;
}

}  // namespace letterpress
