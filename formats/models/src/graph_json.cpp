#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "layer_fields.h"
#include "letterpress/base/error.h"
#include "letterpress/base/nesting.h"
#include "letterpress/base/suggest.h"

namespace letterpress {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kVersion = 1;
constexpr std::size_t kMaxDepth = 8;

// Reads the fields of one JSON object; what is absent leaves the value as it is.
class ObjectReader {
 public:
  ObjectReader(const Json& object, std::string at) : object_(object), at_(std::move(at)) {
    if (!object.is_object())
      throw Error({.where = at_, .what = "is " + shown(object) + ", must be an object"});
  }

  void read(const char* field, std::string& value) {
    read_as(field, value, "a text", [](const Json& json) { return json.is_string(); });
  }
  void read(const char* field, bool& value) {
    read_as(field, value, "true or false", [](const Json& json) { return json.is_boolean(); });
  }
  void read(const char* field, double& value) { read_as(field, value, "a number", is_finite); }
  void read(const char* field, int& value) { read_as(field, value, "a whole number", fits_int); }
  void read(const char* field, std::vector<int>& value) {
    read_as(field, value, "a list of whole numbers",
            [](const Json& json) { return is_list(json, fits_int); });
  }
  void read(const char* field, std::vector<double>& value) {
    read_as(field, value, "a list of numbers",
            [](const Json& json) { return is_list(json, is_finite); });
  }
  template <class Enumeration, std::size_t N>
  void read(const char* field, Enumeration& value, const std::array<const char*, N>& names) {
    std::string name = names[static_cast<std::size_t>(value)];
    read(field, name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      const std::vector<std::string> known(names.begin(), names.end());
      throw Error({.where = at_, .what = unknown_name(field, name, known)});
    }
    value = static_cast<Enumeration>(found - names.begin());
  }
  const Json& list(const char* field) {
    const Json& json = required(field);
    if (!json.is_array())
      throw Error(
          {.where = at_, .what = std::string(field) + " is " + shown(json) + ", must be a list"});
    return json;
  }
  const Json& required(const char* field) {
    know(field);
    const auto found = object_.find(field);
    if (found == object_.end())
      throw Error({.where = at_, .what = std::string(field) + " is missing"});
    return *found;
  }
  /// To be called last: a field that nobody read would have a meaning that we do not know.
  void refuse_others() const {
    for (const auto& [field, value] : object_.items()) {
      if (std::find(known_.begin(), known_.end(), field) == known_.end()) {
        throw Error({.where = at_,
                     .what = unknown_name("field", field.substr(0, 100), known_),
                     .fix = "written by a newer letterpress?"});
      }
    }
  }

 private:
  void know(const char* field) {
    if (std::find(known_.begin(), known_.end(), field) == known_.end()) known_.emplace_back(field);
  }
  static bool fits_int(const Json& json) {
    if (json.is_number_unsigned())
      return json.get<std::uint64_t>() <= std::numeric_limits<int>::max();
    return json.is_number_integer() && json.get<std::int64_t>() >= std::numeric_limits<int>::min();
  }
  static bool is_finite(const Json& json) {
    return json.is_number() && std::isfinite(json.get<double>());
  }
  static bool is_list(const Json& json, bool (*fits)(const Json&)) {
    return json.is_array() && std::all_of(json.begin(), json.end(), fits);
  }
  static std::string shown(const Json& json) {
    if (json.is_array() || json.is_object()) return std::string("an ") + json.type_name();
    return json.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 100);
  }
  template <class T, class Claim>
  void read_as(const char* field, T& value, const char* kind, Claim claim) {
    know(field);
    const auto found = object_.find(field);
    if (found == object_.end()) return;
    if (!claim(*found))
      throw Error({.where = at_,
                   .what = std::string(field) + " is " + shown(*found) + ", must be " + kind});
    value = found->template get<T>();
  }

  const Json& object_;
  std::string at_;
  std::vector<std::string> known_;
};

Json layer_json(const Layer& layer) {
  static const Layer defaults;
  Json json{{"name", layer.name},
            {"kind", name_of(layer.kind)},
            {"inputs", layer.inputs},
            {"channels", layer.channels}};
  for (const auto& field : whole_number_fields()) {
    if (contains(field.used_by, layer.kind) && layer.*field.member != defaults.*field.member)
      json[field.name] = layer.*field.member;
  }
  if (layer.norm) json["norm"] = true;
  for (const auto& field : number_fields()) {
    const bool used =
        contains(field.used_by, layer.kind) && (layer.norm || !contains(kHasNorm, layer.kind));
    if (used) json[field.name] = layer.*field.member;
  }
  if (layer.activation != Activation::none) json["activation"] = name_of(layer.activation);
  if (!layer.anchor_mask.empty()) json["anchor_mask"] = layer.anchor_mask;
  json["stage"] = layer.stage;
  return json;
}

Layer layer_from_json(const Json& json, std::size_t index) {
  Layer layer;
  const std::string number = "layer " + std::to_string(index);
  ObjectReader(json, number).read("name", layer.name);
  ObjectReader reader(json, where(index, layer));
  for (const char* field : {"name", "kind", "channels", "stage"}) reader.required(field);
  reader.read("name", layer.name);
  reader.read("kind", layer.kind, kLayerKindNames);
  reader.read("inputs", layer.inputs);
  reader.read("channels", layer.channels);
  for (const auto& field : whole_number_fields()) reader.read(field.name, layer.*field.member);
  for (const auto& field : number_fields()) reader.read(field.name, layer.*field.member);
  reader.read("norm", layer.norm);
  reader.read("activation", layer.activation, kActivationNames);
  reader.read("anchor_mask", layer.anchor_mask);
  reader.read("stage", layer.stage);
  reader.refuse_others();
  return layer;
}

void check_version(ObjectReader& reader) {
  int version = 0;
  reader.required("version");
  reader.read("version", version);
  if (version > kVersion) {
    throw Error({.where = "graph",
                 .what = "version is " + std::to_string(version) + ", this program knows up to " +
                         std::to_string(kVersion),
                 .fix = "use the letterpress that wrote it, or a newer one"});
  }
  if (version < 1)
    throw Error({.where = "graph",
                 .what = "version is " + std::to_string(version) + ", must be 1 or more"});
}

}  // namespace

std::string to_json(const Graph& graph) {
  Json layers = Json::array();
  for (const Layer& layer : graph.layers) layers.push_back(layer_json(layer));
  Json json{
      {"version", kVersion},      {"model", graph.model},     {"loss", graph.loss},
      {"classes", graph.classes}, {"side", graph.side},       {"ignore_iou", graph.ignore_iou},
      {"anchors", graph.anchors}, {"outputs", graph.outputs}, {"layers", std::move(layers)}};
  if (!graph.mean.empty()) json["mean"] = graph.mean;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Graph graph_from_json(const std::string& text) {
  if (nesting_of(text) > kMaxDepth)
    throw Error({.where = "graph",
                 .what = "is nested deeper than " + std::to_string(kMaxDepth) + " levels",
                 .fix = "the file is damaged"});
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    throw Error({.where = "graph", .what = "is not JSON", .fix = "the file is damaged"});
  ObjectReader reader(json, "graph");
  check_version(reader);
  Graph graph;
  for (const char* field : {"model", "loss", "classes", "side", "outputs"}) reader.required(field);
  reader.read("model", graph.model);
  reader.read("loss", graph.loss);
  reader.read("classes", graph.classes);
  reader.read("side", graph.side);
  reader.read("ignore_iou", graph.ignore_iou);
  reader.read("anchors", graph.anchors);
  reader.read("mean", graph.mean);
  reader.read("outputs", graph.outputs);
  for (const Json& layer : reader.list("layers"))
    graph.layers.push_back(layer_from_json(layer, graph.layers.size()));
  reader.refuse_others();
  validate(graph);
  return graph;
}

}  // namespace letterpress
