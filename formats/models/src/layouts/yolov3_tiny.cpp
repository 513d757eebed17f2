#include "builder.h"
#include "registry.h"

namespace letterpress {
namespace {

void add_head(GraphBuilder& builder, const std::string& name, int input, int classes, int stride,
              std::vector<int> anchor_mask) {
  builder.begin_stage("head");
  const int output = builder.output_conv(name + "_output", input,
                                         static_cast<int>(anchor_mask.size()) * (5 + classes));
  builder.anchor_head(name + "_head", output, stride, std::move(anchor_mask));
}

Graph make_yolov3_tiny(const ModelOptions& options) {
  Graph graph{.model = "yolov3-tiny", .loss = "yolov3", .ignore_iou = 0.7};
  set_options(graph, options, {10, 14, 23, 27, 37, 58, 81, 82, 135, 169, 344, 319});
  GraphBuilder builder(graph, {});
  int x = 0, channels = 16;
  for (int i = 1; i <= 5; ++i, channels *= 2) {
    if (i > 1) x = builder.max_pool("pool" + std::to_string(i - 1), x, 2, 2);
    x = builder.conv("conv" + std::to_string(i), x, channels, 3);
  }
  const int route = x;  // 256 channels at stride 16
  builder.begin_stage("neck");
  x = builder.max_pool("pool5", x, 2, 2);
  x = builder.conv("conv6", x, 512, 3);
  x = builder.max_pool("pool6", x, 2, 1);
  x = builder.conv("conv7", x, 1024, 3);
  const int shared = builder.conv("conv8", x, 256, 1);
  const int coarse = builder.conv("scale32_conv", shared, 512, 3);
  add_head(builder, "scale32", coarse, options.classes, 32, {3, 4, 5});
  builder.begin_stage("neck");
  x = builder.conv("scale16_lateral", shared, 128, 1);
  x = builder.upsample("scale16_upsample", x, 2);
  x = builder.concat("scale16_concat", {x, route});
  x = builder.conv("scale16_conv", x, 256, 3);
  // No head has anchor 0 in the published masks, and weights trained with them expect that; the
  // user's own anchors are all used.
  add_head(builder, "scale16", x, options.classes, 16,
           options.anchors.empty() || options.published_masks ? std::vector{1, 2, 3}
                                                              : std::vector{0, 1, 2});
  return graph;
}

}  // namespace

/// YOLOv3-tiny, layers in the order of yolov3-tiny.cfg (github.com/pjreddie/darknet), stride 16
/// with its anchors 1, 2, 3 (0, 1, 2 where the masks are not the published ones). Stages as
/// keras-yolo3 freezes them: backbone = its first 20 Keras layers (five convolutions, four pools),
/// neck = all else but the two output convolutions.
constinit const ModelEntry yolov3_tiny{
    "yolov3-tiny", "YOLOv3-tiny: two scales, 8.9 M parameters, for CPUs and small sets", 6,
    make_yolov3_tiny};

}  // namespace letterpress
