#include "layer_fields.h"

namespace letterpress {
namespace {

using enum LayerKind;
constexpr Kinds kWindowed = kinds(conv, max_pool, average_pool);

// A stride or kernel beyond these is a damaged file, not a model.
constexpr std::array<Field<int>, 9> kWholeNumbers{{
    {"kernel", &Layer::kernel, kWindowed, 1, 63},
    {"stride", &Layer::stride, kWindowed | kinds(upsample), 1, 64},
    {"padding", &Layer::padding, kinds(conv, max_pool), 0, 62},
    {"padding_end", &Layer::padding_end, kinds(conv, max_pool), -1, 62},
    {"groups", &Layer::groups, kinds(conv), 1, 1 << 16},
    {"slice_first", &Layer::slice_first, kinds(slice), 0, 1 << 16},
    {"head_stride", &Layer::head_stride, kinds(head), 0, 1 << 12},
    {"attention_heads", &Layer::attention_heads, kinds(attention), 1, 1 << 10},
    {"key_channels", &Layer::key_channels, kinds(attention), 1, 1 << 12},
}};
constexpr std::array<Field<double>, 3> kNumbers{{
    {"norm_epsilon", &Layer::norm_epsilon, kHasNorm, 1e-12, 1},
    {"norm_momentum", &Layer::norm_momentum, kHasNorm, 0, 1},
    {"dropout", &Layer::dropout, kinds(LayerKind::dropout), 0, 0.999},
}};

}  // namespace

std::span<const Field<int>> whole_number_fields() { return kWholeNumbers; }
std::span<const Field<double>> number_fields() { return kNumbers; }

std::string where(std::size_t index, const Layer& layer) {
  return "layer " + std::to_string(index) + " '" + layer.name + "'";
}

}  // namespace letterpress
