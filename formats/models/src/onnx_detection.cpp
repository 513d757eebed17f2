#include "onnx_detection.h"

#include <algorithm>

#include "letterpress/base/error.h"
#include "onnx_distances.h"

namespace letterpress {
namespace {

constexpr float kLargestExponent = 15;  // as in training's own decoding: boxes stay finite
constexpr std::int64_t kLastAxis = 4;

/// One anchor head's boxes and scores; names of the nodes start with the layer's.
class AnchorHeadWriter {
 public:
  AnchorHeadWriter(const Graph& graph, const Layer& head, std::int64_t cells, OnnxWriter& out)
      : graph_(graph),
        head_(head),
        cells_(cells),
        anchors_(static_cast<std::int64_t>(head.anchor_mask.size())),
        out_(out) {}

  /// {boxes [B, cells * cells * A, 4], scores [B, cells * cells * A, C]}, YOLOv3, arXiv:1804.02767.
  std::pair<std::string, std::string> write(const std::string& output) {
    const std::int64_t values = 5 + graph_.classes;
    const std::string split = out_.node(
        "Reshape",
        {output, out_.integers(name("grid_shape"), {0, anchors_, values, cells_, cells_})},
        name("grid"));
    grid_ = out_.node("Transpose", {split}, name("by_cell"),
                      {{"perm", std::vector<std::int64_t>{0, 3, 4, 1, 2}}});
    const std::string scores = out_.node(
        "Mul", {sigmoid("objectness", 4, 5), sigmoid("classes", 5, values)}, name("chances"));
    return {flat("boxes", boxes(), 4), flat("scores", scores, graph_.classes)};
  }

 private:
  std::string name(const std::string& what) const { return head_.name + "." + what; }

  std::string part(const std::string& what, std::int64_t first, std::int64_t last) {
    return out_.node("Slice",
                     {grid_, out_.integers(name(what + "_first"), {first}),
                      out_.integers(name(what + "_last"), {last}),
                      out_.integers(name(what + "_axis"), {kLastAxis})},
                     name(what + "_logit"));
  }
  std::string sigmoid(const std::string& what, std::int64_t first, std::int64_t last) {
    return out_.node("Sigmoid", {part(what, first, last)}, name(what));
  }

  std::string boxes() {
    std::vector<float> cells, half_sizes;
    for (std::int64_t i = 0; i < cells_ * cells_; ++i) {
      cells.push_back(static_cast<float>(i % cells_));
      // NOLINTNEXTLINE(bugprone-integer-division): whole rows
      cells.push_back(static_cast<float>(i / cells_));
    }
    for (const int anchor : head_.anchor_mask) {
      half_sizes.push_back(
          static_cast<float>(graph_.anchors[2 * static_cast<std::size_t>(anchor)] / 2));
      half_sizes.push_back(
          static_cast<float>(graph_.anchors[2 * static_cast<std::size_t>(anchor) + 1] / 2));
    }
    const std::string in_cells = out_.node(
        "Add", {sigmoid("offset", 0, 2), out_.floats(name("cells"), {cells_, cells_, 1, 2}, cells)},
        name("in_cells"));
    const std::string centre = out_.node(
        "Mul", {in_cells, out_.floats(name("stride"), {}, {static_cast<float>(head_.head_stride)})},
        name("centre"));
    const std::string bounded = out_.node(
        "Clip", {part("size", 2, 4), "", out_.floats(name("largest"), {}, {kLargestExponent})},
        name("size_bounded"));
    const std::string half = out_.node("Mul",
                                       {out_.node("Exp", {bounded}, name("size")),
                                        out_.floats(name("anchors"), {anchors_, 2}, half_sizes)},
                                       name("half_size"));
    return out_.node("Concat",
                     {out_.node("Sub", {centre, half}, name("first_corner")),
                      out_.node("Add", {centre, half}, name("last_corner"))},
                     name("corners"), {{"axis", kLastAxis}});
  }

  std::string flat(const std::string& what, const std::string& grid, std::int64_t values) {
    return out_.node(
        "Reshape",
        {grid, out_.integers(name(what + "_shape"), {0, cells_ * cells_ * anchors_, values})},
        name(what));
  }

  const Graph& graph_;
  const Layer& head_;
  std::int64_t cells_, anchors_;
  OnnxWriter& out_;
  std::string grid_;
};

struct Decoded {
  std::string boxes, scores;
  std::int64_t predictions = 0;
};

Decoded decode(const Graph& graph, const std::vector<std::string>& heads, const Decoded& names,
               OnnxWriter& out) {
  std::vector<std::string> boxes, scores;
  Decoded decoded = names;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const Layer& head = graph.layers[static_cast<std::size_t>(graph.outputs[i])];
    if (head.head_stride == 0) {
      throw Error({.where = graph.model,
                   .what = "its head " + head.name + " is of the whole picture, it has no boxes",
                   .fix = "export raw outputs"},
                  Exit::configuration);
    }
    const bool has_anchors = !head.anchor_mask.empty();
    const std::int64_t cells = graph.side / head.head_stride;
    const auto [head_boxes, head_scores] =
        has_anchors ? AnchorHeadWriter(graph, head, cells, out).write(heads[i])
                    : write_distance_head(graph, head, heads[i], out);
    boxes.push_back(head_boxes);
    scores.push_back(head_scores);
    decoded.predictions +=
        cells * cells *
        std::max<std::int64_t>(1, static_cast<std::int64_t>(head.anchor_mask.size()));
  }
  out.node("Concat", boxes, decoded.boxes, {{"axis", std::int64_t{1}}});
  out.node("Concat", scores, decoded.scores, {{"axis", std::int64_t{1}}});
  return decoded;
}

}  // namespace

void write_decoded(const Graph& graph, const std::vector<std::string>& heads,
                   const OnnxDimension& batch, OnnxWriter& out) {
  const Decoded decoded = decode(graph, heads, {.boxes = "boxes", .scores = "scores"}, out);
  out.output("boxes", {batch, decoded.predictions, std::int64_t{4}});
  out.output("scores", {batch, decoded.predictions, std::int64_t{graph.classes}});
}

void write_ultralytics(const Graph& graph, const std::vector<std::string>& heads,
                       const OnnxDimension& batch, OnnxWriter& out) {
  const Decoded decoded = decode(graph, heads, {.boxes = "boxes", .scores = "scores"}, out);
  const auto corner = [&](const std::string& name, const std::vector<std::int64_t>& columns) {
    return out.node("Gather", {decoded.boxes, out.integers(name + "_columns", columns)}, name,
                    {{"axis", std::int64_t{2}}});
  };
  const std::string low = corner("low", {0, 1}), high = corner("high", {2, 3});
  const std::string centre = out.node(
      "Mul", {out.node("Add", {low, high}, "corners"), out.floats("half", {}, {0.5F})}, "centre");
  const std::string sides = out.node("Sub", {high, low}, "sides");
  const std::string rows =
      out.node("Concat", {centre, sides, decoded.scores}, "rows", {{"axis", std::int64_t{2}}});
  out.node("Transpose", {rows}, "output0", {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
  out.output("output0", {batch, std::int64_t{4 + graph.classes}, decoded.predictions});
}

void write_detections(const Graph& graph, const std::vector<std::string>& heads,
                      const OnnxOptions& options, OnnxWriter& out) {
  const Decoded decoded = decode(graph, heads, {.boxes = "all_boxes", .scores = "all_scores"}, out);
  std::string scores = decoded.scores;
  // Without this, the best class of a box would suppress its other classes first.
  if (options.agnostic)
    scores = out.node("ReduceMax", {decoded.scores}, "best_scores",
                      {{"axes", std::vector<std::int64_t>{2}}});
  const std::string by_class = out.node("Transpose", {scores}, "scores_by_class",
                                        {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
  // [n, 3]: picture, class, prediction. The order of the axes in a box does not change an overlap.
  const std::string kept = out.node(
      "NonMaxSuppression",
      {decoded.boxes, by_class, out.integer("max_detections", options.max_detections),
       out.floats("iou", {}, {options.iou}), out.floats("confidence", {}, {options.confidence})},
      "kept");
  const auto columns = [&](const std::string& name, const std::vector<std::int64_t>& which) {
    return out.node("Gather", {kept, out.integers(name + "_columns", which)}, name,
                    {{"axis", std::int64_t{1}}});
  };
  const auto number = [&](const std::string& integers) {
    return out.node("Cast", {integers}, integers + "_number",
                    {{"to", static_cast<std::int64_t>(OnnxType::float32)}});
  };
  const std::string prediction = columns("kept_prediction", {0, 2});
  const std::string box = out.node("GatherND", {decoded.boxes, prediction}, "kept_boxes");
  const std::string score = out.node(
      "Unsqueeze",
      {out.node("GatherND", {by_class, kept}, "kept_scores"), out.integers("score_axis", {1})},
      "kept_score_column");
  std::string class_id;
  if (options.agnostic) {
    const std::string best =
        out.node("ArgMax", {decoded.scores}, "best_classes", {{"axis", std::int64_t{2}}});
    class_id = out.node("GatherND", {best, prediction}, "kept_class");
  } else {
    class_id = columns("kept_class", {1});
  }
  out.node("Concat", {number(columns("kept_picture", {0})), box, score, number(class_id)},
           "detections", {{"axis", std::int64_t{1}}});
  out.output("detections", {std::string("n"), std::int64_t{7}});
}

}  // namespace letterpress
