#include "validate_channels.h"

#include "layer_fields.h"
#include "letterpress/base/error.h"

namespace letterpress {
namespace {

class ChannelCheck {
 public:
  ChannelCheck(const Graph& graph, std::size_t index)
      : graph_(graph), layer_(graph.layers[index]), at_(where(index, layer_)) {}

  void run(const std::vector<int>& sides) const {
    check_attention();
    const std::int64_t wanted = wanted_channels(sides);
    if (wanted != 0 && wanted != layer_.channels)
      fail("channels is " + std::to_string(layer_.channels) + ", its inputs make it " +
           std::to_string(wanted));
    for (const int input : layer_.inputs) {
      const int channels = channels_of(input);
      if (layer_.kind == LayerKind::add && channels != layer_.channels)
        fail("adds layers of " + std::to_string(layer_.channels) + " and " +
             std::to_string(channels) + " channels, must be equal");
      if (layer_.kind == LayerKind::slice && layer_.slice_first + layer_.channels > channels)
        fail("slice_first " + std::to_string(layer_.slice_first) + " + channels " +
             std::to_string(layer_.channels) + " is more than its input's " +
             std::to_string(channels) + " channels");
      if (channels % layer_.groups != 0 || layer_.channels % layer_.groups != 0)
        fail("groups is " + std::to_string(layer_.groups) + ", must divide its input's " +
             std::to_string(channels) + " and its own " + std::to_string(layer_.channels) +
             " channels");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error({.where = at_, .what = what});
  }

  int channels_of(int layer) const {
    return graph_.layers[static_cast<std::size_t>(layer)].channels;
  }

  std::int64_t queries_and_keys() const {
    return std::int64_t{2} * layer_.attention_heads * layer_.key_channels;
  }

  // What `channels` must be, from the inputs; 0 when it is free.
  std::int64_t wanted_channels(const std::vector<int>& sides) const {
    std::int64_t sum = 0;
    for (const int input : layer_.inputs) sum += channels_of(input);
    switch (layer_.kind) {
      case LayerKind::input:
        return 3;
      case LayerKind::conv:
      case LayerKind::linear:
      case LayerKind::slice:
        return 0;
      case LayerKind::add:
        return channels_of(layer_.inputs.front());
      case LayerKind::flatten: {
        const std::int64_t side = sides[static_cast<std::size_t>(layer_.inputs.front())];
        return sum * side * side;
      }
      case LayerKind::attention:
        return sum - queries_and_keys();
      default:
        return sum;
    }
  }

  void check_attention() const {
    if (layer_.kind != LayerKind::attention) return;
    const std::int64_t values = channels_of(layer_.inputs.front()) - queries_and_keys();
    if (values > 0 && values % layer_.attention_heads == 0) return;
    fail("its input has " + std::to_string(channels_of(layer_.inputs.front())) + " channels, of " +
         std::to_string(layer_.attention_heads) + " attention_heads with " +
         std::to_string(layer_.key_channels) + " key_channels: " + std::to_string(values) +
         " are left for their values, must be a multiple of the heads");
  }

  const Graph& graph_;
  const Layer& layer_;
  std::string at_;
};

}  // namespace

void check_channels(const Graph& graph, std::size_t index, const std::vector<int>& sides) {
  ChannelCheck(graph, index).run(sides);
}

}  // namespace letterpress
