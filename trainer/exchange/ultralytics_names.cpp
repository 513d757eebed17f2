#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "letterpress/base/error.h"
#include "trainer/exchange/model_weights.h"
#include "trainer/exchange/ultralytics.h"

namespace letterpress {
namespace {

constexpr std::string_view kFirst = "0.conv.weight";
// The kernel that takes a distance's mean: 0, 1, ... 15, never trained.
constexpr std::string_view kDistances = "22.dfl.conv.weight";
/// A block of our graph and the module that it is. A name that continues another stands first.
constexpr std::array<std::pair<const char*, const char*>, 22> kBlocks{{
    {"stem", "0"},
    {"stage1_down", "1"},
    {"stage1", "2"},
    {"stage2_down", "3"},
    {"stage2", "4"},
    {"stage3_down", "5"},
    {"stage3", "6"},
    {"stage4_down", "7"},
    {"stage4", "8"},
    {"pooling", "9"},
    {"neck16", "12"},
    {"neck8", "15"},
    {"scale16_down", "16"},
    {"scale16", "18"},
    {"scale32_down", "19"},
    {"scale32", "21"},
    {"head8_box", "22.cv2.0"},
    {"head16_box", "22.cv2.1"},
    {"head32_box", "22.cv2.2"},
    {"head8_class", "22.cv3.0"},
    {"head16_class", "22.cv3.1"},
    {"head32_class", "22.cv3.2"},
}};

/// "_split" of a block -> ".cv1".
std::string part_of(std::string_view part) {
  constexpr std::string_view kBlock = "_block";
  if (part.starts_with(kBlock)) {
    const std::size_t end = part.find('_', kBlock.size());
    const int number = std::stoi(std::string(part.substr(kBlock.size(), end - kBlock.size())));
    return ".m." + std::to_string(number - 1) + (part.substr(end) == "_first" ? ".cv1" : ".cv2");
  }
  constexpr std::array<std::pair<const char*, const char*>, 6> kParts{{{"_split", ".cv1"},
                                                                       {"_reduce", ".cv1"},
                                                                       {"_join", ".cv2"},
                                                                       {"_first", ".0"},
                                                                       {"_second", ".1"},
                                                                       {"_output", ".2"}}};
  const auto found = std::find_if(kParts.begin(), kParts.end(),
                                  [&](const auto& pair) { return pair.first == part; });
  return found == kParts.end() ? "" : found->second;
}

/// Their names of a graph's tensors, and ours.
std::map<std::string, std::string> names_of_tensors(const Graph& graph) {
  constexpr std::array<std::pair<const char*, const char*>, 5> kNormed{
      {{".conv.weight", ".weight"},
       {".bn.weight", ".norm.weight"},
       {".bn.bias", ".norm.bias"},
       {".bn.running_mean", ".norm.mean"},
       {".bn.running_var", ".norm.var"}}};
  std::map<std::string, std::string> names;
  for (const Layer& layer : graph.layers) {
    if (layer.kind != LayerKind::conv) continue;
    const std::string module = ultralytics_module(layer.name);
    if (!layer.norm) {
      for (const char* part : {".weight", ".bias"}) names[module + part] = layer.name + part;
      continue;
    }
    for (const auto& [theirs, ours] : kNormed) names[module + theirs] = layer.name + ours;
  }
  return names;
}

class StructureMatch {
 public:
  StructureMatch(WeightFile& file, const Graph& graph, const std::string& where)
      : file_(file),
        graph_(graph),
        where_(where),
        prefix_(*ultralytics_prefix(file)),
        names_(names_of_tensors(graph)) {}

  ArrayTargets run() {
    for (WeightArray& array : file_.arrays) found_.tensors.push_back(target_of(array));
    for (const auto& [module, bias] : folded_) add_unit_norm(module, file_.arrays[bias].shape);
    const std::set<std::string> filled(found_.tensors.begin(), found_.tensors.end());
    for (const auto& [theirs, ours] : names_) {
      if (!filled.contains(ours))
        fail("has no " + prefix_ + theirs + ", which " + graph_.model + " needs");
    }
    return std::move(found_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error({.where = where_,
                 .what = what,
                 .fix = "it is of another architecture, or of another size of this one"});
  }

  std::string target_of(WeightArray& array) {
    const std::string name =
        array.name.starts_with(prefix_) ? array.name.substr(prefix_.size()) : "";
    const auto found = names_.find(name);
    if (found != names_.end()) return found->second;
    if (name.ends_with(".bn.num_batches_tracked")) return "";
    if (name == kDistances) {
      check_distances(array);
      array.role = WeightRole::other;
      return "";
    }
    constexpr std::string_view kFolded = ".conv.bias";
    if (name.ends_with(kFolded)) {
      const std::string module = name.substr(0, name.size() - kFolded.size());
      const auto norm = names_.find(module + ".bn.bias");
      if (norm != names_.end()) return folded_.emplace(module, found_.tensors.size()), norm->second;
    }
    fail("has " + array.name + ", which " + graph_.model + " does not");
  }

  void check_distances(const WeightArray& array) const {
    for (std::size_t i = 0; i < array.values.size(); ++i) {
      if (array.values[i] != static_cast<float>(i))
        fail(array.name + " does not hold 0, 1, 2, ... but " + std::to_string(array.values[i]) +
             " at " + std::to_string(i));
    }
  }

  // Scale 1, mean 0, variance 1: what is left of a norm whose factors went into the kernel.
  void add_unit_norm(const std::string& module, std::vector<std::int64_t> shape) {
    const auto add = [&](const char* part, WeightRole role, float value) {
      const std::string name = module + ".bn." + part;
      const std::size_t n = shape.empty() ? 0 : static_cast<std::size_t>(shape.front());
      file_.arrays.push_back({.name = prefix_ + name + " (folded)",
                              .layer = prefix_ + module + ".bn",
                              .role = role,
                              .shape = shape,
                              .values = std::vector<float>(n, value)});
      found_.tensors.push_back(names_.at(name));
    };
    add("weight", WeightRole::gamma, 1);
    add("running_mean", WeightRole::mean, 0);
    add("running_var", WeightRole::variance, 1);
    found_.folded.insert(file_.arrays.back().name);
  }

  WeightFile& file_;
  const Graph& graph_;
  const std::string& where_;
  std::string prefix_;
  std::map<std::string, std::string> names_;
  ArrayTargets found_;
  std::map<std::string, std::size_t> folded_;  ///< modules without a norm, and their bias
};

}  // namespace

std::optional<std::string> ultralytics_prefix(const WeightFile& file) {
  std::optional<std::string> shortest;
  for (const WeightArray& array : file.arrays) {
    if (!array.name.ends_with(kFirst)) continue;
    const std::string prefix = array.name.substr(0, array.name.size() - kFirst.size());
    if (!prefix.empty() && !prefix.ends_with('.')) continue;
    if (!shortest || prefix.size() < shortest->size()) shortest = prefix;
  }
  return shortest;
}

ArrayTargets targets_by_structure(WeightFile& file, const Graph& graph, const std::string& where) {
  return StructureMatch(file, graph, where).run();
}

std::string ultralytics_module(const std::string& layer) {
  for (const auto& [ours, theirs] : kBlocks) {
    if (layer == ours) return theirs;
  }
  for (const auto& [ours, theirs] : kBlocks) {
    const std::string begin = std::string(ours) + "_";
    if (!layer.starts_with(begin)) continue;
    const std::string part = part_of(std::string_view(layer).substr(begin.size() - 1));
    if (!part.empty()) return theirs + part;
  }
  throw Error("exchange: " + layer + " is no layer of yolov8", Exit::bug);
}

}  // namespace letterpress
