#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "letterpress/base/error.h"
#include "trainer/exchange/model_weights.h"
#include "trainer/exchange/ultralytics.h"
#include "trainer/exchange/ultralytics_layout.h"

namespace letterpress {
namespace {

constexpr std::string_view kFirst = "0.conv.weight";
/// Their names of a graph's tensors, and ours.
std::map<std::string, std::string> names_of_tensors(const UltralyticsLayout& layout,
                                                    const Graph& graph) {
  constexpr std::array<std::pair<const char*, const char*>, 5> kNormed{
      {{".conv.weight", ".weight"},
       {".bn.weight", ".norm.weight"},
       {".bn.bias", ".norm.bias"},
       {".bn.running_mean", ".norm.mean"},
       {".bn.running_var", ".norm.var"}}};
  std::map<std::string, std::string> names;
  for (const Layer& layer : graph.layers) {
    if (layer.kind != LayerKind::conv) continue;
    const std::string module = ultralytics_module(layout, layer.name);
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
        layout_(*ultralytics_layout(graph.model)),
        prefix_(*ultralytics_prefix(file)),
        names_(names_of_tensors(layout_, graph)) {}

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
    if (name == layout_.distances) {
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
  const UltralyticsLayout& layout_;
  std::string prefix_;
  std::map<std::string, std::string> names_;
  ArrayTargets found_;
  std::map<std::string, std::size_t> folded_;  ///< modules without a norm, and their bias
};

}  // namespace

std::string fitting_model(const WeightFile& file, const std::string& prefix) {
  std::map<std::string, const WeightArray*> arrays;
  for (const WeightArray& array : file.arrays) arrays.emplace(array.name, &array);
  for (const ModelInfo& info : model_infos()) {
    const UltralyticsLayout* layout = ultralytics_layout(info.name);
    if (!layout) continue;
    const Graph graph = make_model(info.name, {});
    const auto has_kernel = [&](const Layer& layer) {
      if (layer.kind != LayerKind::conv || layer.stage == "head") return true;
      const auto found =
          arrays.find(prefix + ultralytics_module(*layout, layer.name) + ".conv.weight");
      return found != arrays.end() &&
             found->second->shape == std::vector<std::int64_t>{layer.channels,
                                                               kernel_channels(graph, layer),
                                                               layer.kernel, layer.kernel};
    };
    if (std::all_of(graph.layers.begin(), graph.layers.end(), has_kernel)) return info.name;
  }
  return "";
}

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

}  // namespace letterpress
