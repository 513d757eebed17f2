#include "builder.h"
#include "registry.h"

namespace letterpress {
namespace {

// Table 1 of arXiv:1804.02767: channels after each down-sampling convolution, and how many residual
// blocks follow it.
struct DarknetStage {
  int channels, blocks;
};
constexpr DarknetStage kDarknet53[] = {{64, 1}, {128, 2}, {256, 8}, {512, 8}, {1024, 4}};

// Returns the outputs at strides 2, 4, 8, 16 and 32.
std::vector<int> darknet53(GraphBuilder& builder) {
  std::vector<int> ends;
  int x = builder.conv("stem", 0, 32, 3);
  for (const auto& [channels, blocks] : kDarknet53) {
    const std::string stage = "stage" + std::to_string(ends.size() + 1);
    x = builder.conv(stage + "_down", x, channels, 3, 2);
    for (int block = 1; block <= blocks; ++block) {
      const std::string name = stage + "_block" + std::to_string(block);
      const int reduced = builder.conv(name + "_reduce", x, channels / 2, 1);
      const int expanded = builder.conv(name + "_expand", reduced, channels, 3);
      x = builder.add(name + "_add", {expanded, x});
    }
    ends.push_back(x);
  }
  return ends;
}

// Five convolutions that alternate 1x1 and 3x3; the next, finer scale starts from the last of them.
int five_convs(GraphBuilder& builder, const std::string& scale, int x, int channels) {
  for (int i = 1; i <= 5; ++i) {
    const bool reduce = i % 2 == 1;
    x = builder.conv(scale + "_conv" + std::to_string(i), x, reduce ? channels : 2 * channels,
                     reduce ? 1 : 3);
  }
  return x;
}

struct Scale {
  int stride, channels;
  std::vector<int> anchor_mask;
};

Graph make_yolov3(const ModelOptions& options) {
  Graph graph{.model = "yolov3", .loss = "yolov3", .ignore_iou = 0.5};
  set_options(graph, options,
              {10, 13, 16, 30, 33, 23, 30, 61, 62, 45, 59, 119, 116, 90, 156, 198, 373, 326});
  GraphBuilder builder(graph, {});
  const std::vector<int> ends = darknet53(builder);
  const std::vector<Scale> scales{{32, 512, {6, 7, 8}}, {16, 256, {3, 4, 5}}, {8, 128, {0, 1, 2}}};
  int x = ends[4];
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const auto& [stride, channels, anchor_mask] = scales[i];
    const std::string name = "scale" + std::to_string(stride);
    builder.begin_stage("neck");
    if (i > 0) {
      x = builder.conv(name + "_lateral", x, channels, 1);
      x = builder.upsample(name + "_upsample", x, 2);
      x = builder.concat(name + "_concat", {x, ends[4 - i]});
    }
    x = five_convs(builder, name, x, channels);
    const int wide = builder.conv(name + "_conv6", x, 2 * channels, 3);
    builder.begin_stage("head");
    const int output = builder.output_conv(name + "_output", wide, 3 * (5 + options.classes));
    builder.anchor_head(name + "_head", output, stride, anchor_mask);
  }
  return graph;
}

}  // namespace

/// YOLOv3, arXiv:1804.02767; layers in the order of yolov3.cfg (github.com/pjreddie/darknet).
/// Stages as keras-yolo3 freezes them: backbone = Darknet-53 (its first 185 Keras layers), neck =
/// all else but the three output convolutions.
constinit const ModelEntry yolov3{"yolov3", "YOLOv3 with Darknet-53: three scales, 62 M parameters",
                                  9, make_yolov3};

}  // namespace letterpress
