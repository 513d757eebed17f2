#include "trainer/checkpoint/info.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/nesting.h"

namespace letterpress {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kVersion = 2;  // 1 of models of whole pictures
constexpr std::size_t kMaxDepth = 12;

const Json& field(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) throw Error(std::string(name) + " is missing");
  return *found;
}

std::string text(const Json& json, const char* name) {
  const Json& value = field(json, name);
  if (!value.is_string()) throw Error(std::string(name) + " is not a text");
  return value.get<std::string>();
}

std::int64_t whole_number(const Json& json, const char* name) {
  const Json& value = field(json, name);
  const bool fits = value.is_number_unsigned() &&
                    value.get<std::uint64_t>() <=
                        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!fits) throw Error(std::string(name) + " is not a whole number from 0");
  return value.get<std::int64_t>();
}

std::vector<std::string> texts(const Json& json, const char* name) {
  const Json& list = field(json, name);
  if (!list.is_array()) throw Error(std::string(name) + " is not a list of texts");
  std::vector<std::string> values;
  for (const Json& value : list) {
    if (!value.is_string()) throw Error(std::string(name) + " is not a list of texts");
    values.push_back(value.get<std::string>());
  }
  return values;
}

std::map<std::string, double> numbers(const Json& json, const char* name) {
  const Json& object = field(json, name);
  if (!object.is_object()) throw Error(std::string(name) + " is not an object of numbers");
  std::map<std::string, double> values;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_number() && !value.is_null())
      throw Error(std::string(name) + " is not an object of numbers");
    values[key] = value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                  : value.get<double>();  // JSON has no NaN
  }
  return values;
}

Json parse(const std::string& content) {
  if (nesting_of(content) > kMaxDepth)
    throw Error("is nested deeper than " + std::to_string(kMaxDepth) + " levels");
  Json json = Json::parse(content, nullptr, false);
  if (!json.is_object()) throw Error("is not a JSON object");
  const std::int64_t version = whole_number(json, "version");
  if (version > kVersion) {
    throw Error({.what = "version is " + std::to_string(version) + ", this program knows up to " +
                         std::to_string(kVersion),
                 .fix = "use the letterpress that wrote it, or a newer one"});
  }
  for (const char* name : {"configuration", "state"}) {  // JSON themselves, for others to parse
    if (nesting_of(text(json, name)) > kDeepest)
      throw Error(std::string(name) + " is nested deeper than " + std::to_string(kDeepest) +
                  " levels");
  }
  return json;
}

}  // namespace

std::string info_to_json(const CheckpointInfo& info) {
  Json json{{"version", info.tiles ? kVersion : kVersion - 1},
            {"graph", Json::parse(to_json(info.graph))},
            {"letterbox", Json::parse(to_json(info.letterbox))},
            {"stored_side", info.stored_side},
            {"classes", info.classes},
            {"snapshot_generation", info.snapshot_generation},
            {"snapshot_digest", info.snapshot_digest},
            {"position", info.position},
            {"step", info.step},
            {"epochs_done", info.epochs_done},
            {"figures", info.metrics},
            {"configuration", info.configuration_json},
            {"state", info.state_json}};
  if (info.tiles) json["tiles"] = Json::parse(to_json(*info.tiles));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

CheckpointInfo info_from_json(const std::string& content) {
  const Json json = parse(content);
  return {.graph = graph_from_json(field(json, "graph").dump()),
          .letterbox = letterbox_rule_from_json(field(json, "letterbox").dump()),
          .tiles = json.contains("tiles")
                       ? std::optional(tile_rule_from_json(field(json, "tiles").dump()))
                       : std::nullopt,
          .stored_side = json.contains("stored_side")
                             ? static_cast<int>(whole_number(json, "stored_side"))
                             : 0,
          .classes = texts(json, "classes"),
          .snapshot_generation = whole_number(json, "snapshot_generation"),
          .snapshot_digest = text(json, "snapshot_digest"),
          .position = whole_number(json, "position"),
          .step = whole_number(json, "step"),
          .epochs_done = whole_number(json, "epochs_done"),
          .configuration_json = text(json, "configuration"),
          .metrics = numbers(json, "figures"),
          .state_json = text(json, "state")};
}

std::optional<TileRule> tiles_of_frames(const CheckpointInfo& info) {
  std::optional<TileRule> rule = info.tiles;
  const int side = info.graph.side;
  if (!rule || info.stored_side == 0 || info.stored_side == side) return rule;
  const auto span_of = [](int of_frame, double scale) {
    return static_cast<int>(of_frame / scale);  // as TileGrid has it
  };
  const int wanted = span_of(info.stored_side, rule->scale);
  rule->scale *= static_cast<double>(side) / info.stored_side;
  while (span_of(side, rule->scale) < wanted) rule->scale = std::nextafter(rule->scale, 0.0);
  return rule;
}

}  // namespace letterpress
