#include "builder.h"

#include <numeric>

#include "letterpress/base/error.h"
#include "letterpress/base/side.h"

namespace letterpress {

GraphBuilder::GraphBuilder(Graph& graph, ConvStyle style)
    : graph_(graph), style_(style), stage_("backbone") {
  append({.name = "images", .kind = LayerKind::input, .channels = 3});
}

int GraphBuilder::append(Layer layer) {
  layer.stage = stage_;
  graph_.layers.push_back(std::move(layer));
  return static_cast<int>(graph_.layers.size()) - 1;
}

int GraphBuilder::conv(const std::string& name, int input, int channels, int kernel, int stride) {
  return append({.name = name,
                 .kind = LayerKind::conv,
                 .inputs = {input},
                 .channels = channels,
                 .kernel = kernel,
                 .stride = stride,
                 .padding = kernel / 2,
                 .norm = true,
                 .norm_epsilon = style_.norm_epsilon,
                 .norm_momentum = style_.norm_momentum,
                 .activation = style_.activation});
}

int GraphBuilder::depthwise_conv(const std::string& name, int input, int kernel) {
  const int layer = conv(name, input, channels(input), kernel);
  graph_.layers.back().groups = channels(input);
  return layer;
}

int GraphBuilder::without_activation(int layer) {
  graph_.layers[static_cast<std::size_t>(layer)].activation = Activation::none;
  return layer;
}

int GraphBuilder::output_conv(const std::string& name, int input, int channels) {
  return append({.name = name, .kind = LayerKind::conv, .inputs = {input}, .channels = channels});
}

int GraphBuilder::valid_conv(const std::string& name, int input, int channels, int kernel,
                             int stride) {
  const int layer = conv(name, input, channels, kernel, stride);
  graph_.layers.back().padding = 0;
  return layer;
}

int GraphBuilder::max_pool(const std::string& name, int input, int kernel, int stride) {
  Layer layer{.name = name,
              .kind = LayerKind::max_pool,
              .inputs = {input},
              .channels = channels(input),
              .kernel = kernel,
              .stride = stride};
  // Darknet pads kernel - stride in all, the odd one at the end: a 2x2 pool of stride 1 keeps the
  // size.
  layer.padding = (kernel - stride) / 2;
  layer.padding_end = kernel - stride - layer.padding;
  if (layer.padding_end == layer.padding) layer.padding_end = -1;
  return append(std::move(layer));
}

int GraphBuilder::valid_max_pool(const std::string& name, int input, int kernel, int stride) {
  return append({.name = name,
                 .kind = LayerKind::max_pool,
                 .inputs = {input},
                 .channels = channels(input),
                 .kernel = kernel,
                 .stride = stride});
}

int GraphBuilder::average_pool(const std::string& name, int input, int kernel) {
  return append({.name = name,
                 .kind = LayerKind::average_pool,
                 .inputs = {input},
                 .channels = channels(input),
                 .kernel = kernel,
                 .stride = kernel});
}

int GraphBuilder::flatten(const std::string& name, int input) {
  return append({.name = name,
                 .kind = LayerKind::flatten,
                 .inputs = {input},
                 .channels = channels(input) * side(input) * side(input)});
}

int GraphBuilder::dropout(const std::string& name, int input, double probability) {
  return append({.name = name,
                 .kind = LayerKind::dropout,
                 .inputs = {input},
                 .channels = channels(input),
                 .dropout = probability});
}

int GraphBuilder::linear(const std::string& name, int input, int channels) {
  return append({.name = name, .kind = LayerKind::linear, .inputs = {input}, .channels = channels});
}

int GraphBuilder::class_head(const std::string& name, int input) {
  const int head = concat(name, {input});
  graph_.layers.back().kind = LayerKind::head;
  graph_.outputs.push_back(head);
  return head;
}

int GraphBuilder::upsample(const std::string& name, int input, int factor) {
  return append({.name = name,
                 .kind = LayerKind::upsample,
                 .inputs = {input},
                 .channels = channels(input),
                 .stride = factor});
}

int GraphBuilder::concat(const std::string& name, std::vector<int> inputs) {
  const int sum = std::accumulate(inputs.begin(), inputs.end(), 0,
                                  [this](int total, int input) { return total + channels(input); });
  return append(
      {.name = name, .kind = LayerKind::concat, .inputs = std::move(inputs), .channels = sum});
}

int GraphBuilder::add(const std::string& name, std::vector<int> inputs) {
  const int same = channels(inputs.front());
  return append(
      {.name = name, .kind = LayerKind::add, .inputs = std::move(inputs), .channels = same});
}

int GraphBuilder::slice(const std::string& name, int input, int first, int channels) {
  return append({.name = name,
                 .kind = LayerKind::slice,
                 .inputs = {input},
                 .channels = channels,
                 .slice_first = first});
}

int GraphBuilder::attention(const std::string& name, int input, int heads, int key_channels) {
  return append({.name = name,
                 .kind = LayerKind::attention,
                 .inputs = {input},
                 .channels = channels(input) - 2 * heads * key_channels,
                 .attention_heads = heads,
                 .key_channels = key_channels});
}

int GraphBuilder::anchor_head(const std::string& name, int input, int stride,
                              std::vector<int> anchor_mask) {
  const int head = append({.name = name,
                           .kind = LayerKind::head,
                           .inputs = {input},
                           .channels = channels(input),
                           .head_stride = stride,
                           .anchor_mask = std::move(anchor_mask)});
  graph_.outputs.push_back(head);
  return head;
}

int GraphBuilder::distance_head(const std::string& name, std::vector<int> box_and_classes,
                                int stride) {
  const int head = concat(name, std::move(box_and_classes));
  graph_.layers.back().kind = LayerKind::head;
  graph_.layers.back().head_stride = stride;
  graph_.outputs.push_back(head);
  return head;
}

void set_options(Graph& graph, const ModelOptions& options, const std::vector<double>& published) {
  const auto fail = [&](const std::string& what, const std::string& fix) {
    throw Error({.where = "model " + graph.model, .what = what, .fix = fix}, Exit::configuration);
  };
  if (options.classes < 1) {
    fail("classes is " + std::to_string(options.classes) + ", must be 1 or more",
         "name the classes of the set");
  }
  if (!is_side(options.side)) {
    fail("side is " + std::to_string(options.side) + ", must be " + kSideLimits.text +
             ", such as 416 or 640",
         "");
  }
  const std::string given = std::to_string(options.anchors.size()) + " anchor values given, ";
  if (!options.anchors.empty() && published.empty())
    fail(given + "it has no anchors", "leave them out");
  if (!options.anchors.empty() && options.anchors.size() != published.size()) {
    fail(given + "must be " + std::to_string(published.size()) + " (width and height of " +
             std::to_string(published.size() / 2) + " anchors)",
         "");
  }
  graph.classes = options.classes;
  graph.side = options.side;
  graph.anchors = options.anchors.empty() ? published : options.anchors;
  if (!options.anchors.empty()) return;
  for (double& value : graph.anchors) value *= options.side / 416.0;
}

}  // namespace letterpress
