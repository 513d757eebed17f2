#include "trainer/exchange/weight_order.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

bool has_tensors(const Layer& layer) {
  return layer.kind == LayerKind::conv || layer.kind == LayerKind::linear;
}

struct Part {
  const char* tensor;
  WeightRole role;
};
constexpr Part kNormParts[] = {{"norm.bias", WeightRole::beta},
                               {"norm.weight", WeightRole::gamma},
                               {"norm.mean", WeightRole::mean},
                               {"norm.var", WeightRole::variance}};

std::vector<const Layer*> convolutions(const Graph& graph) {
  std::vector<const Layer*> found;
  for (const Layer& layer : graph.layers) {
    if (layer.kind == LayerKind::conv) found.push_back(&layer);
  }
  return found;
}

// Layers of the file in the order of their first array with such a role.
std::map<std::string, std::size_t> places(const WeightFile& file, bool norms) {
  std::map<std::string, std::size_t> places;
  for (const WeightArray& array : file.arrays) {
    const bool is_one = norms ? array.role == WeightRole::gamma || array.role == WeightRole::mean
                              : array.role == WeightRole::kernel && array.shape.size() == 4;
    if (is_one) places.emplace(array.layer, places.size());
  }
  return places;
}

const char* norm_tensor(WeightRole role) {
  for (const Part& part : kNormParts) {
    if (part.role == role) return part.tensor;
  }
  return nullptr;
}

// The tensors of a convolution in Darknet's order.
std::vector<Part> parts_of(const Layer& layer) {
  std::vector<Part> parts;
  if (layer.norm) parts.assign(std::begin(kNormParts), std::end(kNormParts));
  if (!layer.norm) parts.push_back({"bias", WeightRole::bias});
  parts.push_back({"weight", WeightRole::kernel});
  return parts;
}

std::int64_t count(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (const std::int64_t size : shape) n *= size;
  return n;
}

// Values of the first convolutions, added up: [0] those of the first one, ...
std::vector<std::int64_t> sums(const Graph& graph) {
  const auto shapes = tensor_shapes(graph);
  std::vector<std::int64_t> sums;
  for (const Layer* layer : convolutions(graph)) {
    std::int64_t values = sums.empty() ? 0 : sums.back();
    for (const Part& part : parts_of(*layer))
      values += count(shapes.at(layer->name + "." + part.tensor));
    sums.push_back(values);
  }
  return sums;
}

std::size_t first_output(const Graph& graph) {
  const std::vector<const Layer*> layers = convolutions(graph);
  return static_cast<std::size_t>(
      std::find_if(layers.begin(), layers.end(), [](const Layer* layer) { return !layer->norm; }) -
      layers.begin());
}

/// The model and how many of its convolutions have as many values as the stream.
struct Fit {
  Graph graph;
  std::size_t convolutions = 0;
};

Fit fit(std::int64_t values, const std::string& model, const std::string& where) {
  const Graph one = graph_for_names(model, 1);
  const std::vector<std::int64_t> of_one = sums(one);
  const std::int64_t per_class = sums(graph_for_names(model, 2)).back() - of_one.back(),
                     without = of_one.back() - per_class;
  if (values > without && (values - without) % per_class == 0) {
    return {graph_for_names(model, static_cast<int>((values - without) / per_class)),
            of_one.size()};
  }
  for (std::size_t i = 0; i < first_output(one); ++i) {
    if (of_one[i] == values) return {one, i + 1};
  }
  throw Error({.where = where,
               .what = "holds " + std::to_string(values) + " values; " + model + " has " +
                       std::to_string(of_one.back()) + " with one class and " +
                       std::to_string(per_class) +
                       " more for each other, and no whole number of its first layers fits either",
               .fix = "the file was cut, or is of another model"});
}

}  // namespace

std::map<std::string, std::vector<std::int64_t>> tensor_shapes(const Graph& graph) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const Layer& layer : graph.layers) {
    if (!has_tensors(layer)) continue;
    std::vector<std::int64_t>& weight = shapes[layer.name + ".weight"];
    weight = {layer.channels, kernel_channels(graph, layer)};
    if (layer.kind == LayerKind::conv) weight.insert(weight.end(), 2, layer.kernel);
    if (!layer.norm) shapes[layer.name + ".bias"] = {layer.channels};
    for (const char* tensor : {".norm.weight", ".norm.bias", ".norm.mean", ".norm.var"}) {
      if (layer.norm) shapes[layer.name + tensor] = {layer.channels};
    }
  }
  return shapes;
}

// Models for whole pictures take small sides only; the others keep the side that their published
// anchors are for.
Graph graph_for_names(const std::string& model, int classes) {
  Graph small = make_model(model, {.classes = classes, .side = 32});
  return is_classifier(small) ? small : make_model(model, {.classes = classes});
}

std::vector<std::string> targets_by_order(const WeightFile& file, const Graph& graph) {
  const std::vector<const Layer*> layers = convolutions(graph);
  std::vector<const Layer*> with_norm;
  std::copy_if(layers.begin(), layers.end(), std::back_inserter(with_norm),
               [](const Layer* layer) { return layer->norm; });
  const std::map<std::string, std::size_t> kernels = places(file, false),
                                           norms = places(file, true);
  std::vector<std::string> targets;
  for (const WeightArray& array : file.arrays) {
    std::string& target = targets.emplace_back();
    const char* norm = norm_tensor(array.role);
    if (norm) {
      const auto place = norms.find(array.layer);
      if (place != norms.end() && place->second < with_norm.size())
        target = with_norm[place->second]->name + "." + norm;
      continue;
    }
    const auto place = kernels.find(array.layer);
    if (place == kernels.end() || place->second >= layers.size()) continue;
    const Layer& layer = *layers[place->second];
    if (array.role == WeightRole::kernel) target = layer.name + ".weight";
    if (array.role == WeightRole::bias && !layer.norm) target = layer.name + ".bias";
  }
  return targets;
}

std::vector<std::string> means_for_biases(const WeightFile& file, const Graph& graph) {
  const std::vector<const Layer*> layers = convolutions(graph);
  const std::map<std::string, std::size_t> kernels = places(file, false);
  std::vector<std::string> means;
  for (const WeightArray& array : file.arrays) {
    std::string& mean = means.emplace_back();
    const auto place = kernels.find(array.layer);
    if (array.role == WeightRole::bias && place != kernels.end() && place->second < layers.size() &&
        layers[place->second]->norm)
      mean = layers[place->second]->name + ".norm.mean";
  }
  return means;
}

void check_activations(const WeightFile& file, const Graph& graph, const std::string& where) {
  constexpr double kLeakySlope = 0.1, kRounding = 1e-6;
  static const std::map<std::string, Activation> ours{{"LeakyReLU", Activation::leaky_relu},
                                                      {"ReLU", Activation::relu},
                                                      {"SiLU", Activation::silu}};
  // Those that no model of ours has; sigmoid and softmax are left out, as outputs have them.
  static const std::set<std::string> others{"CELU",     "cut ReLU", "ELU",   "GELU",  "Hardswish",
                                            "Mish",     "PReLU",    "RReLU", "ReLU6", "SELU",
                                            "Softplus", "Softsign", "Tanh"};
  std::set<Activation> used;
  for (const Layer& layer : graph.layers) used.insert(layer.activation);
  for (const WeightModule& module : file.modules) {
    const std::string kind = module.kind.substr(module.kind.rfind('.') + 1);
    const auto known = ours.find(kind);
    const auto refuse = [&](const std::string& what) {
      throw Error(
          {.where = where,
           .what = "at its " + module.name + " there is " + what + ", which " + graph.model +
                   " has nowhere: it would compute other numbers",
           .fix = "train " + graph.model + " anew, or name the file's own model with --model"},
          Exit::configuration);
    };
    if (others.contains(kind) || (known != ours.end() && !used.contains(known->second)))
      refuse("a " + kind);
    const auto slope = module.numbers.find("negative_slope");
    if (kind != "LeakyReLU" || slope == module.numbers.end() || slope->second.size() != 1) continue;
    std::ostringstream text;
    text << "a LeakyReLU of slope " << slope->second.front();
    if (std::abs(slope->second.front() - kLeakySlope) > kRounding) refuse(text.str());
  }
}

void cut_stream(WeightFile& file, const std::string& model, const std::string& where) {
  const WeightArray stream = std::move(file.arrays.front());
  const auto [graph, n] = fit(static_cast<std::int64_t>(stream.values.size()), model, where);
  const auto shapes = tensor_shapes(graph);
  const std::vector<const Layer*> layers = convolutions(graph);
  file.arrays.clear();
  auto begin = stream.values.begin();
  for (std::size_t i = 0; i < n; ++i) {
    for (const Part& part : parts_of(*layers[i])) {
      const std::string darknet = "convolution " + std::to_string(i);
      const std::vector<std::int64_t>& shape = shapes.at(layers[i]->name + "." + part.tensor);
      const auto end = begin + count(shape);
      file.arrays.push_back({.name = darknet + " " + part.tensor,
                             .layer = darknet,
                             .role = part.role,
                             .shape = shape,
                             .values = {begin, end}});
      begin = end;
    }
  }
}

}  // namespace letterpress
