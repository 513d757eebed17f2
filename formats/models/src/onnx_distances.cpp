#include "onnx_distances.h"

#include <numeric>

namespace letterpress {
namespace {

constexpr std::int64_t kSides = 4;

class DistanceHeadWriter {
 public:
  DistanceHeadWriter(const Graph& graph, const Layer& head, OnnxWriter& out)
      : head_(head),
        side_(graph.side / head.head_stride),
        cells_(side_ * side_),
        box_channels_(head.channels - graph.classes),
        out_(out) {}

  std::pair<std::string, std::string> write(const std::string& output) {
    by_channel_ = out_.node(
        "Reshape", {output, out_.integers(name("flat_shape"), {0, head_.channels, cells_})},
        name("flat"));
    const std::string logits = transpose(
        "class_logits", part("class_channels", by_channel_, {box_channels_, head_.channels}, 1),
        {0, 2, 1});
    return {boxes(), out_.node("Sigmoid", {logits}, name("scores"))};
  }

 private:
  struct Range {
    std::int64_t first, last;
  };

  std::string name(const std::string& what) const { return head_.name + "." + what; }

  std::string part(const std::string& what, const std::string& input, const Range& range,
                   std::int64_t axis) {
    return out_.node("Slice",
                     {input, out_.integers(name(what + "_first"), {range.first}),
                      out_.integers(name(what + "_last"), {range.last}),
                      out_.integers(name(what + "_axis"), {axis})},
                     name(what));
  }
  std::string transpose(const std::string& what, const std::string& input,
                        const std::vector<std::int64_t>& order) {
    return out_.node("Transpose", {input}, name(what), {{"perm", order}});
  }

  /// [B, cells, 4], pixels: the mean of each distribution, arXiv:2006.04388.
  std::string distances() {
    const std::int64_t bins = box_channels_ / kSides;
    const std::string split =
        out_.node("Reshape",
                  {part("box_channels", by_channel_, {0, box_channels_}, 1),
                   out_.integers(name("bins_shape"), {0, kSides, bins, cells_})},
                  name("by_side"));
    const std::string shares = out_.node("Softmax", {transpose("by_cell", split, {0, 3, 1, 2})},
                                         name("shares"), {{"axis", std::int64_t{3}}});
    std::vector<float> values(static_cast<std::size_t>(bins));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(i) * static_cast<float>(head_.head_stride);
    const std::string means =
        out_.node("MatMul", {shares, out_.floats(name("bins"), {bins, 1}, values)}, name("means"));
    return out_.node("Reshape",
                     {means, out_.integers(name("distances_shape"), {0, cells_, kSides})},
                     name("distances"));
  }

  std::string boxes() {
    std::vector<float> centres;
    const auto stride = static_cast<float>(head_.head_stride);
    for (std::int64_t i = 0; i < cells_; ++i) {
      centres.push_back((static_cast<float>(i % side_) + 0.5f) * stride);
      // NOLINTNEXTLINE(bugprone-integer-division): whole rows
      centres.push_back((static_cast<float>(i / side_) + 0.5f) * stride);
    }
    const std::string points = out_.floats(name("points"), {cells_, 2}, centres),
                      sides = distances();
    const std::string first =
        out_.node("Sub", {points, part("left_top", sides, {0, 2}, 2)}, name("first_corner"));
    const std::string last =
        out_.node("Add", {points, part("right_bottom", sides, {2, 4}, 2)}, name("last_corner"));
    return out_.node("Concat", {first, last}, name("boxes"), {{"axis", std::int64_t{2}}});
  }

  const Layer& head_;
  std::int64_t side_, cells_, box_channels_;
  OnnxWriter& out_;
  std::string by_channel_;
};

}  // namespace

std::pair<std::string, std::string> write_distance_head(const Graph& graph, const Layer& head,
                                                        const std::string& output,
                                                        OnnxWriter& out) {
  return DistanceHeadWriter(graph, head, out).write(output);
}

}  // namespace letterpress
