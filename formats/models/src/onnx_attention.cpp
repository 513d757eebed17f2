#include "onnx_attention.h"

#include <cmath>

namespace letterpress {
namespace {

constexpr std::int64_t kChannelAxis = 2, kCellAxis = 3;

class AttentionWriter {
 public:
  AttentionWriter(const Layer& layer, int side, OnnxType type, OnnxWriter& out)
      : layer_(layer), side_(side), type_(type), out_(out) {}

  /// [B, H, 2 K + V, cells] inside; a column of the shares is what one cell takes of every other.
  std::string write(const std::string& input) {
    const std::int64_t heads = layer_.attention_heads, keys = layer_.key_channels,
                       channels = 2 * keys + layer_.channels / heads, cells = side_ * side_;
    by_head_ = out_.node("Reshape",
                         {input, out_.integers(name("by_head_shape"), {0, heads, channels, cells})},
                         name("by_head"));
    const float factor = 1 / std::sqrt(static_cast<float>(keys));
    const std::string queries = out_.node(
        "Mul", {part("queries", 0, keys), out_.floats(name("factor"), {}, {factor}, type_)},
        name("scaled"));
    const std::string likeness = out_.node(
        "MatMul", {transpose("by_cell", queries), part("keys", keys, 2 * keys)}, name("likeness"));
    const std::string shares =
        out_.node("Softmax", {likeness}, name("shares"), {{"axis", kCellAxis}});
    const std::string taken =
        out_.node("MatMul", {part("values", 2 * keys, channels), transpose("taken_by", shares)},
                  name("taken"));
    return out_.node("Reshape",
                     {taken, out_.integers(name("shape"), {0, layer_.channels, side_, side_})},
                     layer_.name);
  }

 private:
  std::string name(const std::string& what) const { return layer_.name + "." + what; }

  std::string part(const std::string& what, std::int64_t first, std::int64_t last) {
    return out_.node("Slice",
                     {by_head_, out_.integers(name(what + "_first"), {first}),
                      out_.integers(name(what + "_last"), {last}),
                      out_.integers(name(what + "_axis"), {kChannelAxis})},
                     name(what));
  }
  std::string transpose(const std::string& what, const std::string& input) {
    return out_.node("Transpose", {input}, name(what),
                     {{"perm", std::vector<std::int64_t>{0, 1, 3, 2}}});
  }

  const Layer& layer_;
  std::int64_t side_;
  OnnxType type_;
  OnnxWriter& out_;
  std::string by_head_;
};

}  // namespace

std::string write_attention(const Layer& layer, const std::string& input, int side, OnnxType type,
                            OnnxWriter& out) {
  return AttentionWriter(layer, side, type, out).write(input);
}

}  // namespace letterpress
