#include "trainer/exchange/network_use.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/nesting.h"
#include "letterpress/base/parse_as.h"
#include "letterpress/base/side.h"
#include "trainer/checkpoint/info.h"

namespace letterpress {
namespace {

using Json = nlohmann::ordered_json;
using Metadata = std::map<std::string, std::string>;

constexpr std::size_t kTextShown = 80, kAllShown = 300;  // of what a file says

[[noreturn]] void refuse(const std::string& key, const std::string& what) {
  throw Error({.where = "metadata '" + key + "'",
               .what = what.substr(0, kAllShown),
               .fix = "export the checkpoint again, with --to onnx"});
}

const std::string& text_of(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) refuse(key, "is not there: not an export of letterpress-trainer");
  if (nesting_of(found->second) > kDeepest)
    refuse(key, "is nested deeper than " + std::to_string(kDeepest) + " levels");
  return found->second;
}

/// parse: throws Error where the text is not what it must be.
template <class Parse>
auto parsed(const Metadata& metadata, const std::string& key, Parse parse) {
  try {
    return parse(text_of(metadata, key));
  } catch (const Error& error) {
    refuse(key, "is wrong: " + to_string(error.message()));
  }
}

int side_of(const Metadata& metadata) {
  const std::string& text = text_of(metadata, "side");
  const int side = parse_as<int>(text).value_or(0);
  if (!is_side(side))
    refuse("side", "is '" + text.substr(0, kTextShown) + "', must be " + kSideLimits.text);
  return side;
}

std::vector<std::string> classes_of(const Metadata& metadata) {
  const Json classes = Json::parse(text_of(metadata, "classes"), nullptr, false);
  const auto is_name = [](const Json& name) { return name.is_string(); };
  if (!classes.is_array() || classes.empty() || !std::ranges::all_of(classes, is_name))
    refuse("classes", "must be a list of names");
  return classes.get<std::vector<std::string>>();
}

// Every other export says which boxes become detections.
void check_outputs(const Metadata& metadata) {
  const Json outputs = Json::parse(text_of(metadata, "outputs"), nullptr, false);
  if (!metadata.contains("suppression"))
    throw Error({.where = "metadata 'outputs'",
                 .what = "the network gives whole pictures a class, predict writes boxes",
                 .fix = "run it in another program"},
                Exit::configuration);
  if (!outputs.is_object() || !outputs.contains("boxes") || !outputs.contains("scores"))
    throw Error({.where = "metadata 'outputs'",
                 .what = "names other outputs than boxes and scores",
                 .fix = "export it with --output decoded"},
                Exit::configuration);
}

double share_of(const Metadata& metadata, const std::string& key, const char* name) {
  const Json object = Json::parse(text_of(metadata, key), nullptr, false);
  const Json value = object.is_object() ? object.value(name, Json()) : Json();
  if (!value.is_number() || !(value >= 0.0 && value <= 1.0))
    refuse(key, std::string("must have a share '") + name + "', 0 to 1");
  return value.get<double>();
}

// None where the file was exported with another confidence than the promise's.
std::optional<Promised> promised_in(const Metadata& metadata, double confidence) {
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
                 .letterbox = parsed(metadata, "letterbox", letterbox_rule_from_json)};
  check_outputs(metadata);
  if (metadata.contains("tiles")) use.tiles = parsed(metadata, "tiles", tile_rule_from_json);
  use.confidence = share_of(metadata, "suppression", "confidence");
  if (metadata.contains("promise")) use.promised = promised_in(metadata, use.confidence);
  return use;
}

}  // namespace letterpress
