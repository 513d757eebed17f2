#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>

#include "layer_fields.h"
#include "letterpress/base/error.h"
#include "validate_channels.h"

namespace letterpress {
namespace {

[[noreturn]] void fail(const std::string& where, const std::string& what,
                       const std::string& fix = "") {
  throw Error({.where = where, .what = what, .fix = fix});
}

constexpr std::size_t kMaxLayers = 10000;
constexpr int kMaxChannels = 1 << 16;
constexpr std::int64_t kMaxParameters = std::int64_t{1} << 32;

template <class T>
std::string text(T value) {
  char digits[32];
  return {digits, std::to_chars(digits, std::end(digits), value).ptr};
}

template <class T>
void check_fields(const std::string& at, const Layer& layer, std::span<const Field<T>> fields) {
  static const Layer defaults;
  for (const Field<T>& field : fields) {
    const T value = layer.*field.member;
    if (!contains(field.used_by, layer.kind)) {
      if (value == defaults.*field.member) continue;
      fail(at, std::string(field.name) + " is set, but " + name_of(layer.kind) + " has none",
           "remove it");
    }
    if (value >= field.minimum && value <= field.maximum) continue;
    fail(at, std::string(field.name) + " is " + text(value) + ", must be " + text(field.minimum) +
                 " to " + text(field.maximum));
  }
}

void check_use(const std::string& at, const Layer& layer, bool set, const char* field,
               Kinds used_by) {
  if (set && !contains(used_by, layer.kind)) {
    fail(at, std::string(field) + " is set, but " + name_of(layer.kind) + " has none", "remove it");
  }
}

// A name is a prefix of tensor names, where a dot separates it from the rest.
void check_name(const std::string& at, const Layer& layer, std::set<std::string>& names) {
  const bool allowed = !layer.name.empty() && layer.name.size() <= 100 &&
                       std::all_of(layer.name.begin(), layer.name.end(), [](char c) {
                         return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                (c >= '0' && c <= '9') || c == '_' || c == '-';
                       });
  if (!allowed) fail(at, "name must be 1 to 100 letters, digits, '_' or '-'");
  if (layer.name == "train" || layer.name == "optimiser")
    throw Error(
        {.where = at, .what = "name is taken for training's tensors", .fix = "choose another"});
  if (!names.insert(layer.name).second)
    throw Error(
        {.where = at, .what = "name is used by an earlier layer", .fix = "names must differ"});
}

void check_inputs(const std::string& at, std::size_t index, const Layer& layer) {
  const std::size_t n = layer.inputs.size();
  const bool first = index == 0;
  if (first != (layer.kind == LayerKind::input)) {
    fail(at, std::string("kind is ") + name_of(layer.kind) +
                 ", layer 0 and no other must be the input");
  }
  std::size_t least = first ? 0 : 1, most = least;
  if (layer.kind == LayerKind::concat || layer.kind == LayerKind::head) most = kMaxLayers;
  if (layer.kind == LayerKind::add) least = 2, most = kMaxLayers;
  if (n < least || n > most) {
    fail(at, "inputs has " + std::to_string(n) + " layers, must be " + std::to_string(least) +
                 (most > least ? " or more" : ""));
  }
  for (const int input : layer.inputs) {
    if (input < 0 || static_cast<std::size_t>(input) >= index) {
      fail(at, "inputs names layer " + std::to_string(input) + ", must be an earlier one (0 to " +
                   std::to_string(index - 1) + ")");
    }
  }
}

void check_padding(const std::string& at, const Layer& layer) {
  if (layer.kind != LayerKind::max_pool) return;
  const int most = std::max(layer.padding, layer.padding_end);
  if (most >= layer.kernel) {
    fail(at, "padding is " + std::to_string(most) + ", must be less than kernel (" +
                 std::to_string(layer.kernel) + "): a window would see no pixel");
  }
}

// After flatten there are no pixels: linear needs that, windows cannot use it.
bool is_flat(const std::string& at, const Layer& layer, const std::vector<bool>& flat) {
  if (layer.kind == LayerKind::input) return false;
  const bool input = flat[static_cast<std::size_t>(layer.inputs.front())];
  for (const int other : layer.inputs) {
    if (flat[static_cast<std::size_t>(other)] != input)
      fail(at, "inputs mixes flattened layers with others");
  }
  if (layer.kind == LayerKind::flatten) return true;
  if (layer.kind == LayerKind::linear && !input)
    fail(at, "inputs must be flattened", "put a flatten layer before linear");
  const Kinds spatial = kinds(LayerKind::conv, LayerKind::max_pool, LayerKind::average_pool,
                              LayerKind::upsample, LayerKind::attention);
  if (contains(spatial, layer.kind) && input)
    throw Error(
        {.where = at,
         .what = "inputs is flattened, " + std::string(name_of(layer.kind)) + " needs pixels"});
  return input;
}

void check_head(const std::string& at, const Graph& graph, const Layer& layer, int side) {
  if (layer.kind != LayerKind::head) return;
  const int anchors = static_cast<int>(graph.anchors.size() / 2);
  for (const int anchor : layer.anchor_mask) {
    if (anchor >= 0 && anchor < anchors) continue;
    fail(at, "anchor_mask names anchor " + std::to_string(anchor) + ", the graph has " +
                 std::to_string(anchors));
  }
  const std::int64_t wanted =
      static_cast<std::int64_t>(layer.anchor_mask.size()) * (5 + graph.classes);
  if (wanted != 0 && wanted != layer.channels) {
    fail(at, "channels is " + std::to_string(layer.channels) + ", " +
                 std::to_string(layer.anchor_mask.size()) + " anchors and " +
                 std::to_string(graph.classes) + " classes make it " + std::to_string(wanted));
  }
  if (layer.head_stride != 0 && layer.head_stride * side != graph.side) {
    fail(at, "head_stride is " + std::to_string(layer.head_stride) + ", but " +
                 std::to_string(graph.side) + " pixels become " + std::to_string(side) + " cells");
  }
}

void check_graph_fields(const Graph& graph) {
  const auto whole = [](const char* field, std::int64_t value, std::int64_t least,
                        std::int64_t most) {
    if (value >= least && value <= most) return;
    fail("graph", std::string(field) + " is " + std::to_string(value) + ", must be " +
                      std::to_string(least) + " to " + std::to_string(most));
  };
  whole("classes", graph.classes, 1, kMaxChannels);
  whole("side", graph.side, 1, 1 << 14);
  whole("number of layers", static_cast<std::int64_t>(graph.layers.size()), 2, kMaxLayers);
  if (!(graph.ignore_iou >= 0 && graph.ignore_iou <= 1))
    throw Error(
        {.where = "graph", .what = "ignore_iou is " + text(graph.ignore_iou) + ", must be 0 to 1"});
  if (graph.anchors.size() % 2 != 0) {
    fail("graph", "anchors has " + std::to_string(graph.anchors.size()) +
                      " values, must be pairs of width and height");
  }
  if (!graph.mean.empty() && graph.mean.size() != 3)
    fail("graph", "mean has " + std::to_string(graph.mean.size()) +
                      " values, must be red, green and blue, or none");
  for (const double value : graph.mean) {
    if (!(value >= 0 && value <= 1))
      fail("graph", "mean holds " + text(value) + ", must be 0 to 1");
  }
  double last_area = 0;
  for (std::size_t i = 0; i + 1 < graph.anchors.size(); i += 2) {
    const double w = graph.anchors[i], h = graph.anchors[i + 1];
    const std::string anchor =
        "anchor " + std::to_string(i / 2) + " is " + text(w) + " x " + text(h);
    if (!(w > 0 && h > 0 && w <= 1e6 && h <= 1e6))
      fail("graph", anchor + ", must be positive pixels");
    if (w * h < last_area)
      fail("graph", anchor + ", smaller than the one before",
           "order anchors by area, smallest first");
    last_area = w * h;
  }
}

void check_outputs(const Graph& graph) {
  if (graph.outputs.empty()) fail("graph", "outputs is empty, must name at least one head");
  int last_stride = 0;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const int output = graph.outputs[i];
    const bool is_head = output >= 0 && static_cast<std::size_t>(output) < graph.layers.size() &&
                         graph.layers[static_cast<std::size_t>(output)].kind == LayerKind::head;
    if (!is_head)
      throw Error(
          {.where = "graph",
           .what = "outputs names layer " + std::to_string(output) + ", which is not a head"});
    const int stride = graph.layers[static_cast<std::size_t>(output)].head_stride;
    if (i > 0 && stride >= last_stride) {
      fail("graph", "outputs has stride " + std::to_string(stride) + " after " +
                        std::to_string(last_stride) + ", must be coarse to fine");
    }
    last_stride = stride;
  }
}

void check_layer(std::size_t index, const Layer& layer, std::set<std::string>& names) {
  const std::string at = where(index, layer);
  check_name(at, layer, names);
  if (layer.channels < 1 || layer.channels > kMaxChannels) {
    fail(at, "channels is " + std::to_string(layer.channels) + ", must be 1 to " +
                 std::to_string(kMaxChannels));
  }
  if (layer.stage.empty() || layer.stage.size() > 100)
    fail(at, "stage must be a name, such as backbone, neck or head");
  check_fields(at, layer, whole_number_fields());
  check_fields(at, layer, number_fields());
  check_use(at, layer, layer.norm, "norm", kHasNorm);
  check_use(at, layer, layer.activation != Activation::none, "activation", kHasActivation);
  check_use(at, layer, !layer.anchor_mask.empty(), "anchor_mask", kHasAnchorMask);
  check_inputs(at, index, layer);
  check_padding(at, layer);
}

}  // namespace

void validate(const Graph& graph) {
  check_graph_fields(graph);
  std::set<std::string> names;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) check_layer(i, graph.layers[i], names);
  const std::vector<int> sides = output_sides(graph, graph.side);
  std::vector<bool> flat;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    const Layer& layer = graph.layers[i];
    check_channels(graph, i, sides);
    flat.push_back(is_flat(where(i, layer), layer, flat));
    check_head(where(i, layer), graph, layer, sides[i]);
  }
  check_outputs(graph);
  const std::int64_t parameters = measure(graph).parameters;
  if (parameters > kMaxParameters) {
    fail("graph", std::to_string(parameters) + " parameters, must be at most " +
                      std::to_string(kMaxParameters));
  }
}

}  // namespace letterpress
