#include "keras_config.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "keras_arrays.h"
#include "letterpress/base/error.h"
#include "letterpress/base/nesting.h"

namespace letterpress {
namespace {

using nlohmann::json;

// What Keras calls functions that are layers, too (keras.io/api/layers/activations). Those of
// output layers and gates, such as sigmoid, are not among them, nor is linear, which is none.
const std::map<std::string, std::string> kFunctions{
    {"relu", "ReLU"},           {"leaky_relu", "LeakyReLU"},
    {"relu6", "cut ReLU"},      {"silu", "SiLU"},
    {"swish", "SiLU"},          {"elu", "ELU"},
    {"selu", "SELU"},           {"celu", "CELU"},
    {"gelu", "GELU"},           {"mish", "Mish"},
    {"hard_silu", "Hardswish"}, {"hard_swish", "Hardswish"},
    {"softplus", "Softplus"},   {"softsign", "Softsign"},
    {"tanh", "Tanh"},
};
constexpr double kLeakyFunction = 0.2;  // the slope of the function leaky_relu, not of the layer

// The number under the first of the keys that is one.
std::optional<double> number_in(const json& config, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (config.contains(key) && config[key].is_number()) return config[key].get<double>();
  }
  return std::nullopt;
}

class Walk {
 public:
  // However deep the model holds its layers.
  void over(const json& whole) {
    std::vector<const json*> rest{&whole};
    while (!rest.empty()) {
      const json& part = *rest.back();
      rest.pop_back();
      if (part.is_object() && part.value("class_name", json()).is_string() &&
          part.contains("config") && part["config"].is_object())
        layer(part["class_name"].get<std::string>(), part["config"]);
      if (part.is_structured()) {
        for (const json& member : part) rest.push_back(&member);
      }
    }
  }

  std::set<double> epsilons{};
  std::vector<WeightModule> activations{};

 private:
  void layer(const std::string& kind, const json& config) {
    if (kind == "BatchNormalization") {
      if (const auto epsilon = number_in(config, {"epsilon"})) epsilons.insert(*epsilon);
    } else if (kind.ends_with("LU")) {  // LeakyReLU, ReLU, PReLU, ELU
      const auto slope = number_in(config, {"negative_slope", "alpha"}),
                 cut = number_in(config, {"max_value"});
      const bool is_leaky = kind == "LeakyReLU" || (kind == "ReLU" && slope.value_or(0) != 0);
      add(config, cut ? "cut ReLU" : is_leaky ? "LeakyReLU" : kind, slope);
    }
    // A function's name, or an object that holds it; a layer is found below.
    const json activation = config.value("activation", json());
    const json function = activation.is_object() ? activation.value("config", json()) : activation;
    if (!function.is_string()) return;
    const auto known = kFunctions.find(function.get<std::string>());
    if (known != kFunctions.end()) add(config, known->second, kLeakyFunction);
  }

  void add(const json& config, const std::string& kind, std::optional<double> slope) {
    WeightModule& found = activations.emplace_back(WeightModule{.kind = kind});
    const json name = config.value("name", json());
    if (name.is_string()) found.name = name.get<std::string>();
    if (kind == "LeakyReLU" && slope) found.numbers["negative_slope"] = {*slope};
  }
};

}  // namespace

KerasConfig read_keras_config(const std::string& text, const std::string& where) {
  check_nesting(text, where);
  const json whole = json::parse(text, nullptr, false);
  if (whole.is_discarded())
    throw Error(
        {.where = where, .what = "is not JSON", .fix = "the file is damaged, copy it again"});
  Walk walk;
  walk.over(whole);
  const std::set<double>& epsilons = walk.epsilons;
  if (epsilons.size() > 1)
    throw Error({.where = where,
                 .what = "its norms have several epsilons, " + json(*epsilons.begin()).dump() +
                         " and " + json(*epsilons.rbegin()).dump() + " among them",
                 .fix = "a model of ours has one; import model.save_weights(\"name.weights.h5\") "
                        "with --norm-epsilon"});
  return {.norm_epsilon = epsilons.empty() ? kKerasNormEpsilon : *epsilons.begin(),
          .activations = std::move(walk.activations)};
}

}  // namespace letterpress
