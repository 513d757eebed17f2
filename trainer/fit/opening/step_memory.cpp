#include "trainer/fit/opening/step_memory.h"

#include <algorithm>
#include <vector>

#include "letterpress/base/bytes_text.h"

namespace letterpress {
namespace {

// Values per picture that `layer`'s operations keep, where its output has `cells` cells.
std::int64_t kept_values(const Layer& layer, std::int64_t cells, std::int64_t value_bytes) {
  const std::int64_t values = layer.channels * cells;
  const std::int64_t places = values * 8 / value_bytes;  // int64, of each maximum
  switch (layer.kind) {
    case LayerKind::conv:  // what the norm, silu (the others work in place) and the next layer get
      return values * (1 + (layer.norm ? 1 : 0) + (layer.activation == Activation::silu ? 1 : 0));
    case LayerKind::max_pool:
      return values + places;
    case LayerKind::attention:  // each cell's look at all others, before and behind the softmax
      return values + 2 * layer.attention_heads * cells * cells;
    case LayerKind::slice:
    case LayerKind::head:
    case LayerKind::flatten:  // parts and other shapes of what is there
      return 0;
    default:
      return values;
  }
}

bool is_trained(const Layer& layer, const std::set<std::string>& frozen) {
  const bool has_weights = layer.kind == LayerKind::conv || layer.kind == LayerKind::linear;
  return has_weights && !frozen.contains(layer.name);
}

}  // namespace

std::int64_t kept_outputs(const Graph& graph, const ForwardPass& pass) {
  const std::vector<int> sides = output_sides(graph, pass.side);
  std::vector<bool> has_gradient(graph.layers.size());
  std::int64_t values = 0;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    const Layer& layer = graph.layers[i];
    has_gradient[i] = is_trained(layer, pass.frozen) ||
                      std::any_of(layer.inputs.begin(), layer.inputs.end(), [&](int input) {
                        return has_gradient[static_cast<std::size_t>(input)];
                      });
    const std::int64_t cells = std::int64_t{sides[i]} * sides[i];
    if (has_gradient[i]) values += kept_values(layer, cells, pass.value_bytes);
  }
  return values * pass.pictures * pass.value_bytes;
}

std::optional<std::string> scarce_memory(const Graph& graph, const ForwardPass& pass,
                                         const BatchParts& step, std::int64_t free) {
  const std::int64_t kept = kept_outputs(graph, pass);
  if (free <= 0 || kept <= free) return std::nullopt;
  std::int64_t parts = step.parts + 1;
  const auto fits = [&] { return step.batch % parts == 0 && kept * step.parts / parts <= free; };
  while (parts * step.ranks <= step.batch && !fits()) ++parts;
  const auto text = [](std::int64_t bytes) { return bytes_text(static_cast<double>(bytes)); };
  return "memory: " + std::to_string(pass.pictures) + " pictures at side " +
         std::to_string(pass.side) + " take about " + text(kept) + " in a step, " + text(free) +
         " are free: " +
         (parts * step.ranks <= step.batch
              ? "--accumulate " + std::to_string(parts) + " takes fewer at a time"
              : "give a smaller --input-size, or a smaller model");
}

}  // namespace letterpress
