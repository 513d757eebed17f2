#include <algorithm>
#include <array>
#include <map>

#include "letterpress/base/error.h"
#include "trainer/exchange/ultralytics.h"
#include "trainer/exchange/ultralytics_layout.h"

namespace letterpress {
namespace {

/// "ultralytics.nn.modules.block.C2f" -> "C2f".
std::string class_of(const std::string& kind) { return kind.substr(kind.rfind('.') + 1); }

std::string text_of(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) {
    std::string one = std::to_string(number);
    one.resize(one.find_last_not_of('0') + 1);
    if (one.ends_with('.')) one.pop_back();
    text += (text.empty() ? "" : ", ") + one;
  }
  return text;
}

class StructureCheck {
 public:
  StructureCheck(const WeightFile& file, const Graph& graph, const std::string& where)
      : graph_(graph),
        layout_(*ultralytics_layout(graph.model)),
        where_(where),
        prefix_(*ultralytics_prefix(file)) {
    for (const WeightModule& module : file.modules) modules_.emplace(module.name, &module);
  }

  void run() const {
    const std::size_t n = layout_.modules.size();
    for (std::size_t i = 0; i < n; ++i) check_listed(i);
    if (modules_.contains(prefix_ + std::to_string(n)))
      fail("has more modules than the " + std::to_string(n) + " of " + graph_.model);
    for (const Layer& layer : graph_.layers) {
      if (layer.kind == LayerKind::conv) check_convolution(layer);
    }
    const std::string pooling = layout_.pooling;
    check_numbers(pooling, "n", {3});
    check_numbers(pooling, "add", {0});
    check_numbers(pooling + ".m", "kernel_size", {5});
    for (const char* upsample : layout_.upsamples) check_numbers(upsample, "scale_factor", {2});
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(
        {.where = where_, .what = what, .fix = "it is of another architecture, or was changed"});
  }

  const WeightModule& module(const std::string& name) const {
    const auto found = modules_.find(prefix_ + name);
    if (found == modules_.end())
      fail("has no module " + prefix_ + name + ", which " + graph_.model + " needs");
    return *found->second;
  }

  void check_kind(const std::string& name, const std::string& wanted) const {
    const std::string kind = module(name).kind;
    if (class_of(kind) != wanted)
      fail("has " + kind + " as module " + prefix_ + name + ", where " + graph_.model + " has " +
           wanted);
  }

  // Where the module says it: older releases say less.
  void check_numbers(const std::string& name, const std::string& key,
                     const std::vector<double>& wanted) const {
    const auto found = module(name).numbers.find(key);
    if (found == module(name).numbers.end() || found->second == wanted) return;
    fail(key + " of module " + prefix_ + name + " is " + text_of(found->second) + ", must be " +
         text_of(wanted));
  }

  void check_listed(std::size_t i) const {
    check_kind(std::to_string(i), layout_.modules[i].kind);
    check_numbers(std::to_string(i), "f", layout_.modules[i].from);
  }

  void check_convolution(const Layer& layer) const {
    const std::string name = ultralytics_module(layout_, layer.name);
    const std::string convolution = layer.norm ? name + ".conv" : name;
    const auto both = [](int value) { return std::vector<double>(2, value); };
    check_numbers(convolution, "stride", both(layer.stride));
    check_numbers(convolution, "padding", both(layer.padding));
    check_numbers(convolution, "dilation", both(1));
    check_numbers(convolution, "groups", {static_cast<double>(layer.groups)});
    if (layer.norm)
      check_kind(name + ".act", layer.activation == Activation::none ? "Identity" : "SiLU");
    if (layer.name.ends_with("_qkv")) check_attention(layer, name.substr(0, name.rfind('.')));
    constexpr std::string_view kFirstPart = "_first";
    const std::size_t block = layer.name.find("_block");
    if (block == std::string::npos || !layer.name.ends_with(kFirstPart)) return;
    const std::string sum = layer.name.substr(0, layer.name.size() - kFirstPart.size()) + "_add";
    const bool residual = std::any_of(graph_.layers.begin(), graph_.layers.end(),
                                      [&](const Layer& other) { return other.name == sum; });
    check_numbers(name.substr(0, name.rfind('.')), "add", {residual ? 1.0 : 0.0});
  }

  void check_attention(const Layer& qkv, const std::string& module) const {
    const auto follows = [&](const Layer& layer) {
      return layer.kind == LayerKind::attention &&
             &graph_.layers[static_cast<std::size_t>(layer.inputs.front())] == &qkv;
    };
    const auto attention = std::find_if(graph_.layers.begin(), graph_.layers.end(), follows);
    check_numbers(module, "num_heads", {static_cast<double>(attention->attention_heads)});
    check_numbers(module, "key_dim", {static_cast<double>(attention->key_channels)});
    check_numbers(module.substr(0, module.rfind('.')), "add", {1});
  }

  const Graph& graph_;
  const UltralyticsLayout& layout_;
  const std::string& where_;
  std::string prefix_;
  std::map<std::string, const WeightModule*> modules_;
};

// Published as a repository to be run where it lies: its modules are those of a folder `models`.
const WeightModule* of_yolov5(const WeightFile& file) {
  const auto found = std::find_if(
      file.modules.begin(), file.modules.end(),
      [](const WeightModule& module) { return module.kind.starts_with("models.yolo."); });
  return found == file.modules.end() ? nullptr : &*found;
}

}  // namespace

void refuse_yolov5(const WeightFile& file, const Graph& graph, const std::string& where) {
  const WeightModule* network = of_yolov5(file);
  if (!network) return;
  throw Error({.where = where,
               .what = "holds a network of YOLOv5 (" + network->kind + "), not " + graph.model,
               .fix = "files of Ultralytics' yolov8 and yolo11 can be imported"});
}

void check_modules(const WeightFile& file, const Graph& graph, const std::string& where) {
  if (!file.modules.empty()) StructureCheck(file, graph, where).run();
}

}  // namespace letterpress
