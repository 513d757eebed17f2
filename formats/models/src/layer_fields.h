#pragma once
#include <array>
#include <span>
#include <string>

#include "letterpress/models/graph.h"

namespace letterpress {

/// Names as the JSON writes them. In the order of the enumerations.
inline constexpr std::array<const char*, 13> kLayerKindNames{
    "input", "conv",   "max_pool", "average_pool", "upsample", "concat",   "add",
    "slice", "linear", "dropout",  "flatten",      "head",     "attention"};
inline constexpr std::array<const char*, 4> kActivationNames{"none", "leaky_relu", "relu", "silu"};

/// A set of layer kinds.
using Kinds = unsigned;
template <class... Kind>
constexpr Kinds kinds(Kind... kind) {
  return (0U | ... | (1U << static_cast<unsigned>(kind)));
}
constexpr bool contains(Kinds set, LayerKind kind) {
  return (set >> static_cast<unsigned>(kind)) & 1U;
}

/// A field's name in the JSON, its member, the kinds that use it and the values that it may have
/// (both ends included).
template <class T>
struct Field {
  const char* name;
  T Layer::*member;
  Kinds used_by;
  T minimum, maximum;
};
std::span<const Field<int>> whole_number_fields();
std::span<const Field<double>> number_fields();
inline constexpr Kinds kHasNorm = kinds(LayerKind::conv);
inline constexpr Kinds kHasActivation = kinds(LayerKind::conv, LayerKind::add, LayerKind::linear);
inline constexpr Kinds kHasAnchorMask = kinds(LayerKind::head);

inline const char* name_of(LayerKind kind) {
  return kLayerKindNames[static_cast<std::size_t>(kind)];
}
inline const char* name_of(Activation activation) {
  return kActivationNames[static_cast<std::size_t>(activation)];
}
/// "layer 12 'neck1'": how every message about a layer begins.
std::string where(std::size_t index, const Layer& layer);

}  // namespace letterpress
