#include "trainer/exchange/model_weights.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "letterpress/base/error.h"
#include "trainer/exchange/ultralytics.h"
#include "trainer/exchange/ultralytics_layout.h"
#include "trainer/exchange/weight_order.h"

namespace letterpress {
namespace {

std::string text_of(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

/// Names are the model's own: each array goes by its name.
std::vector<std::string> targets_by_name(const WeightFile& file, const Graph& graph) {
  const auto shapes = tensor_shapes(graph);
  std::vector<std::string> targets;
  for (const WeightArray& array : file.arrays)
    targets.push_back(shapes.contains(array.name) ? array.name : "");
  return targets;
}

bool is_ultralytics(const Graph& graph) { return ultralytics_layout(graph.model) != nullptr; }

enum class Matching { names, structure, order };

Matching matching_of(const WeightFile& file, const Graph& graph) {
  const auto shapes = tensor_shapes(graph);
  const bool own_names =
      std::any_of(file.arrays.begin(), file.arrays.end(),
                  [&](const WeightArray& array) { return shapes.contains(array.name); });
  if (own_names) return Matching::names;
  return is_ultralytics(graph) && ultralytics_prefix(file) ? Matching::structure : Matching::order;
}

// 0 when the file has no output layer.
int classes_of(const WeightFile& file, const std::vector<std::string>& targets, const Graph& graph,
               const std::string& where) {
  std::map<std::string, ClassRows> kernels;
  for (const auto& [layer, rows] : class_rows(graph)) kernels.emplace(layer + ".weight", rows);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto found = kernels.find(targets[i]);
    if (found == kernels.end() || file.arrays[i].shape.empty()) continue;
    const auto& [groups, shared] = found->second;
    const std::int64_t channels = file.arrays[i].shape.front();
    if (channels % groups == 0 && channels / groups > shared)
      return static_cast<int>(channels / groups - shared);
    throw Error({.where = where,
                 .what = file.arrays[i].name + " has " + std::to_string(channels) +
                         " channels in the place of " + targets[i] + ", which has " +
                         std::to_string(shared) + " and the classes for each of " +
                         std::to_string(groups) + " anchors",
                 .fix = "is it of another model?"});
  }
  return 0;
}

class Table {
 public:
  Table(ModelWeights& weights, std::string where)
      : weights_(weights), where_(std::move(where)), shapes_(tensor_shapes(weights.graph)) {}

  void add(const WeightArray& array, const std::string& target) {
    WeightRow row{array.name, text_of(array.shape), target, {}};
    if (array.values.empty() && !target.empty()) row.target.clear();
    if (row.target.empty()) row.note = reason(array, target);
    if (!row.target.empty()) check_shape(array, target);
    if (!row.target.empty() && !weights_.tensors
                                    .emplace(target, ModelWeights::Tensor{.source = array.name,
                                                                          .shape = array.shape,
                                                                          .values = array.values})
                                    .second) {
      throw Error(
          {.where = where_, .what = target + " is given twice, the second time by " + array.name});
    }
    weights_.rows.push_back(std::move(row));
  }

  void add_missing() {
    for (const auto& [name, shape] : shapes_) {
      if (!weights_.tensors.contains(name))
        weights_.rows.push_back({"", text_of(shape), name, "not in the file"});
    }
  }

 private:
  std::string reason(const WeightArray& array, const std::string& target) const {
    if (array.values.empty())
      return target.empty() ? "left out: a counter, or empty"
                            : "left out: holds no floating-point numbers";
    if (array.role == WeightRole::other) return "left out: not a weight of a convolution or norm";
    return "left out: " + weights_.graph.model + " has no such layer";
  }

  void check_shape(const WeightArray& array, const std::string& target) const {
    const std::vector<std::int64_t>& wanted = shapes_.at(target);
    if (array.shape == wanted) return;
    throw Error({.where = where_,
                 .what = array.name + " is " + text_of(array.shape) + " in the place of " + target +
                         ", which is " + text_of(wanted) + " in " + weights_.graph.model,
                 .fix = "is it of another model?"});
  }

  ModelWeights& weights_;
  std::string where_;
  std::map<std::string, std::vector<std::int64_t>> shapes_;
};

/// What the file's program adds to the variances of each of its norms, by array. Folded ones:
/// nothing.
std::map<std::string, std::optional<double>> epsilons_of(const WeightFile& file, double given,
                                                         Matching matching,
                                                         const std::set<std::string>& folded) {
  std::map<std::string, double> modules;
  std::map<std::string, std::optional<double>> epsilons;
  for (const WeightModule& module : file.modules) {
    const auto found = module.numbers.find("eps");
    if (found != module.numbers.end() && found->second.size() == 1)
      modules.emplace(module.name, found->second.front());
  }
  for (const WeightArray& array : file.arrays) {
    const auto own = modules.find(array.layer);
    double epsilon = file.norm_epsilon;
    if (matching == Matching::structure) epsilon = kUltralyticsEpsilon;
    if (own != modules.end()) epsilon = own->second;
    if (given > 0) epsilon = given;
    epsilons[array.name] = folded.contains(array.name) ? std::nullopt : std::optional(epsilon);
  }
  return epsilons;
}

// Exact when the layer adds its own epsilon afterwards.
void move_variances(ModelWeights& weights,
                    const std::map<std::string, std::optional<double>>& epsilons,
                    const std::string& where) {
  for (const Layer& layer : weights.graph.layers) {
    const auto found = weights.tensors.find(layer.name + ".norm.var");
    if (found == weights.tensors.end()) continue;
    const std::optional<double> epsilon = epsilons.at(found->second.source);
    if (epsilon == 0.0)
      throw Error({.where = where,
                   .what = "does not say what its norms add to the variance",
                   .fix = "import it with --norm-epsilon: 1e-5 is PyTorch's default, 1e-3 that of "
                          "Keras and Ultralytics"},
                  Exit::usage);
    for (float& variance : found->second.values)
      variance = static_cast<float>(variance + epsilon.value_or(0) - layer.norm_epsilon);
    weights.norm_epsilon = std::max(weights.norm_epsilon, epsilon.value_or(0));
    weights.folded = weights.folded || !epsilon;
  }
}

void refuse_other_model(const WeightFile& file, const Graph& graph, const std::string& where) {
  const std::string fitting = fitting_model(file, *ultralytics_prefix(file));
  if (fitting.empty() || fitting == graph.model) return;
  throw Error({.where = where,
               .what = "holds a " + fitting + ", not a " + graph.model,
               .fix = "--model " + fitting});
}

ArrayTargets find_targets(WeightFile& file, const Graph& graph, Matching matching,
                          const std::string& where) {
  if (matching == Matching::names) return {.tensors = targets_by_name(file, graph)};
  if (is_ultralytics(graph)) refuse_yolov5(file, graph, where);
  if (matching == Matching::structure) refuse_other_model(file, graph, where);
  if (matching == Matching::order) return {.tensors = targets_by_order(file, graph)};
  return targets_by_structure(file, graph, where);
}

// Of those that are used: a training that diverged leaves such.
void check_finite(const WeightFile& file, const std::vector<std::string>& targets,
                  const std::string& where) {
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::vector<float>& values = file.arrays[i].values;
    if (targets[i].empty() ||
        std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); }))
      continue;
    throw Error({.where = where,
                 .what = file.arrays[i].name + " holds values that are not finite",
                 .fix = "a training that diverged leaves such: take an earlier checkpoint"});
  }
}

// A norm takes its mean from what comes to it: a bias before it moves that alone, exactly.
void take_in_biases(const WeightFile& file, const std::vector<std::string>& means,
                    ModelWeights& weights) {
  for (std::size_t i = 0; i < means.size(); ++i) {
    const std::vector<float>& bias = file.arrays[i].values;
    const auto mean = weights.tensors.find(means[i]);
    if (bias.empty() || mean == weights.tensors.end() || mean->second.values.size() != bias.size())
      continue;
    std::transform(bias.begin(), bias.end(), mean->second.values.begin(),
                   mean->second.values.begin(),
                   [](float offset, float value) { return value - offset; });
    for (WeightRow& row : weights.rows) {
      if (row.source == file.arrays[i].name) row.note = "subtracted from " + means[i];
    }
  }
}

}  // namespace

ModelWeights model_weights(WeightFile file, const std::string& model, double norm_epsilon,
                           const std::string& where) {
  if (file.arrays.size() == 1 && file.arrays.front().role == WeightRole::stream)
    cut_stream(file, model, where);
  Graph graph = graph_for_names(model, 1);
  const Matching matching = matching_of(file, graph);
  const auto [targets, folded] = find_targets(file, graph, matching, where);
  check_finite(file, targets, where);
  std::vector<std::string> means;
  if (matching == Matching::order) {
    check_activations(file, graph, where);
    means = means_for_biases(file, graph);
    check_finite(file, means, where);
  }
  const int classes = classes_of(file, targets, graph, where);
  ModelWeights weights{.graph = graph_for_names(model, std::max(classes, 1)),
                       .has_outputs = classes > 0,
                       .tensors = {},
                       .rows = {}};
  // The head of yolo11 is as wide as it has classes.
  if (matching != Matching::names && matching != Matching::order)
    check_modules(file, weights.graph, where);
  Table table(weights, where);
  for (std::size_t i = 0; i < targets.size(); ++i) table.add(file.arrays[i], targets[i]);
  if (weights.tensors.empty())
    throw Error({.where = where,
                 .what = "holds nothing that " + model + " has",
                 .fix = "is it of another model?"});
  table.add_missing();
  take_in_biases(file, means, weights);
  if (norm_epsilon > 0 || matching != Matching::names)
    move_variances(weights, epsilons_of(file, norm_epsilon, matching, folded), where);
  return weights;
}

std::string to_text(const std::vector<WeightRow>& rows) {
  std::size_t source = 0, shape = 0;
  for (const WeightRow& row : rows) {
    source = std::max(source, row.source.size());
    shape = std::max(shape, row.shape.size());
  }
  std::string text;
  for (const WeightRow& row : rows) {
    const std::string name = row.source.empty() ? "-" : row.source;
    text += name + std::string(std::max(source, name.size()) + 2 - name.size(), ' ') + row.shape +
            std::string(shape + 2 - row.shape.size(), ' ');
    text += row.target.empty() ? "-" : "-> " + row.target;
    text += (row.note.empty() ? "" : "  " + row.note) + "\n";
  }
  return text;
}

}  // namespace letterpress
