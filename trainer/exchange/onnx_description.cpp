#include "trainer/exchange/onnx_description.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"

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
Json suppression_of(const OnnxOptions& options) {
  const bool in_file = options.output == OnnxOutput::detections;
  return {{"in_file", in_file},
          {"confidence", options.confidence},
          {"iou", options.iou},
          {"classes", options.agnostic ? "together" : "each by itself"},
          {"max_detections", options.max_detections},
          {"max_detections_per", in_file && !options.agnostic ? "picture and class" : "picture"}};
}

/// What Ultralytics' AutoBackend looks for in an exported file; names is a Python dict.
void describe_for_ultralytics(const CheckpointInfo& info,
                              std::map<std::string, std::string>& metadata) {
  std::string names;
  for (std::size_t i = 0; i < info.classes.size(); ++i)
    names += (i ? ", " : "") + std::to_string(i) + ": " + nlohmann::json(info.classes[i]).dump();
  const std::string side = std::to_string(info.graph.side);
  metadata["task"] = "detect";
  metadata["names"] = "{" + names + "}";
  metadata["stride"] = "32";
  metadata["batch"] = "1";
  metadata["imgsz"] = "[" + side + ", " + side + "]";
}

[[noreturn]] void refuse(const std::string& key, const std::string& what) {
  throw Error({.where = "metadata '" + key + "'",
               .what = what,
               .fix = "export the checkpoint again, with --to onnx"});
}

const std::string& text_of(const std::map<std::string, std::string>& metadata,
                           const std::string& key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) refuse(key, "is not there: not an export of letterpress-trainer");
  return found->second;
}

int side_of(const std::map<std::string, std::string>& metadata) {
  const std::string& text = text_of(metadata, "side");
  int side = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), side);
  if (fault != std::errc{} || end != text.data() + text.size() || side < 32 || side > 8192 ||
      side % 32 != 0)
    refuse("side", "is '" + text + "', must be a multiple of 32 from 32 to 8192");
  return side;
}

std::vector<std::string> classes_of(const std::map<std::string, std::string>& metadata) {
  const Json classes = Json::parse(text_of(metadata, "classes"), nullptr, false);
  const auto is_name = [](const Json& name) { return name.is_string(); };
  if (!classes.is_array() || classes.empty() || !std::ranges::all_of(classes, is_name))
    refuse("classes", "must be a list of names");
  return classes.get<std::vector<std::string>>();
}

void check_outputs(const std::map<std::string, std::string>& metadata) {
  const Json outputs = Json::parse(text_of(metadata, "outputs"), nullptr, false);
  if (outputs.is_object() && outputs.contains("boxes") && outputs.contains("scores")) return;
  throw Error({.where = "metadata 'outputs'",
               .what = "names other outputs than boxes and scores",
               .fix = "export it with --output decoded"},
              Exit::configuration);
}

double share_of(const std::map<std::string, std::string>& metadata, const std::string& key,
                const char* name) {
  const Json object = Json::parse(text_of(metadata, key), nullptr, false);
  const Json value = object.is_object() ? object.value(name, Json()) : Json();
  if (!value.is_number() || !(value >= 0.0 && value <= 1.0))
    refuse(key, std::string("must have a share '") + name + "', 0 to 1");
  return value.get<double>();
}

// None where the file was exported with another confidence than the promise's.
std::optional<Promised> promised_in(const std::map<std::string, std::string>& metadata,
                                    double confidence) {
  const Promised promised{.recall = share_of(metadata, "promise", "recall"),
                          .probability = share_of(metadata, "promise", "probability"),
                          .confidence = share_of(metadata, "promise", "confidence")};
  if (static_cast<float>(promised.confidence) != static_cast<float>(confidence))
    return std::nullopt;
  return promised;
}

}  // namespace

NetworkUse use_of(const CheckpointInfo& info) {
  const auto promised = promised_of(info);
  return {.side = info.graph.side,
          .classes = info.classes,
          .letterbox = info.letterbox,
          .tiles = tiles_of_frames(info),
          .confidence = promised ? promised->confidence : kDefaultConfidence,
          .promised = promised};
}

NetworkUse use_of(const std::map<std::string, std::string>& metadata) {
  NetworkUse use{.side = side_of(metadata),
                 .classes = classes_of(metadata),
                 .letterbox = letterbox_rule_from_json(text_of(metadata, "letterbox"))};
  check_outputs(metadata);
  if (metadata.contains("tiles")) use.tiles = tile_rule_from_json(metadata.at("tiles"));
  use.confidence = share_of(metadata, "suppression", "confidence");
  if (metadata.contains("promise")) use.promised = promised_in(metadata, use.confidence);
  return use;
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
  if (const auto tiles = tiles_of_frames(info)) metadata["tiles"] = to_json(*tiles);
  if (!is_classifier(info.graph)) metadata["suppression"] = suppression_of(options).dump();
  if (options.output == OnnxOutput::ultralytics) describe_for_ultralytics(info, metadata);
  if (const auto promised = promised_of(info))
    metadata["promise"] = nlohmann::json{{"recall", promised->recall},
                                         {"probability", promised->probability},
                                         {"confidence", promised->confidence}}
                              .dump();
  return metadata;
}

}  // namespace letterpress
