#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "letterpress/base/error.h"
#include "letterpress/models/graph.h"

using namespace letterpress;

namespace {

int count(const Graph& graph, LayerKind kind, const std::string& stage) {
  return static_cast<int>(
      std::count_if(graph.layers.begin(), graph.layers.end(),
                    [&](const Layer& l) { return l.kind == kind && l.stage == stage; }));
}

const Layer& find(const Graph& graph, const std::string& name) {
  const auto found = std::find_if(graph.layers.begin(), graph.layers.end(),
                                  [&](const Layer& l) { return l.name == name; });
  REQUIRE(found != graph.layers.end());
  return *found;
}

// Layers that Keras would count in the backbone: convolution, norm and activation are three, a
// convolution of stride 2 has a padding layer before it.
int keras_layers(const Graph& graph) {
  int layers = 0;
  for (const Layer& layer : graph.layers) {
    if (layer.stage == "backbone")
      layers += layer.kind == LayerKind::conv ? (layer.stride == 2 ? 4 : 3) : 1;
  }
  return layers;
}

}  // namespace

// Parameters: model.summary() of keras-yolo3's models. Operations: pjreddie.com/darknet/yolo
// lists 65.86 and 5.56 Bn for the 80 classes.
TEST_CASE("models have exactly the published numbers of parameters and operations") {
  struct Published {
    const char* model;
    int classes;
    std::int64_t parameters, norm_statistics;
    double gflops, rounding;
  };
  const Published published[] = {
      {"yolov3", 80, 61949149, 52608, 65.86, 0.005},
      {"yolov3", 20, 61626049, 52608, 65.43, 0.005},
      {"yolov3", 1, 61523734, 52608, 65.29, 0.005},
      {"yolov3-tiny", 80, 8852366, 6368, 5.565, 0.0005},
      {"yolov3-tiny", 20, 8713766, 6368, 5.472, 0.0005},
      {"yolov3-tiny", 1, 8669876, 6368, 5.442, 0.0005},
  };
  for (const Published& wanted : published) {
    CAPTURE(wanted.model);
    CAPTURE(wanted.classes);
    const GraphSize size =
        measure(make_model(wanted.model, {.classes = wanted.classes, .side = 416}));
    CHECK(size.parameters == wanted.parameters);
    CHECK(size.norm_statistics == wanted.norm_statistics);
    CHECK(std::abs(size.gflops - wanted.gflops) <= wanted.rounding);
  }
}

// The 16 fixed weights with which other programs take the mean of a distribution are not parameters
// here.
TEST_CASE("the models without anchors have exactly the published numbers, too") {
  struct Published {
    const char* model;
    int classes;
    std::int64_t parameters;
    double gflops, rounding;
  };
  const Published published[] = {
      {"yolov8n", 80, 3157184, 8.74, 0.005}, {"yolov8n", 20, 3014732, 0, 0},
      {"yolov8n", 3, 3011417, 0, 0},         {"yolov8n", 1, 3011027, 0, 0},
      {"yolov8s", 80, 11166544, 28.6, 0.05}, {"yolov8m", 80, 25902624, 78.9, 0.05},
      {"yolo11n", 80, 2624064, 6.5, 0.05},   {"yolo11s", 80, 9458736, 21.5, 0.05},
      {"yolo11m", 80, 20114672, 68.0, 0.05}};
  for (const Published& wanted : published) {
    CAPTURE(wanted.model);
    CAPTURE(wanted.classes);
    const GraphSize size =
        measure(make_model(wanted.model, {.classes = wanted.classes, .side = 640}));
    CHECK(size.parameters == wanted.parameters);
    if (wanted.gflops > 0) CHECK(std::abs(size.gflops - wanted.gflops) <= wanted.rounding);
  }
}

TEST_CASE("a model without anchors has one head of two branches per scale, coarse to fine") {
  const Graph graph = make_model("yolov8n", {.classes = 3, .side = 416});
  CHECK(graph.loss == "task-aligned");
  CHECK(graph.anchors.empty());
  REQUIRE(graph.outputs.size() == 3);
  const int strides[] = {32, 16, 8};
  for (std::size_t i = 0; i < 3; ++i) {
    const Layer& head = graph.layers[static_cast<std::size_t>(graph.outputs[i])];
    CHECK(head.head_stride == strides[i]);
    CHECK(head.channels == 4 * 16 + 3);
    CHECK(head.inputs.size() == 2);
  }
  CHECK(count(graph, LayerKind::conv, "head") == 18);
  CHECK(count(graph, LayerKind::max_pool, "backbone") == 3);
  CHECK(count(graph, LayerKind::add, "backbone") == 6);
  CHECK(count(graph, LayerKind::add, "neck") == 0);
}

// By hand: kernels of 3x3x96 of RGB; 1x1 and 3x3 of each inception over what the one before gave;
// 3x3 of the two reductions; gamma and beta of 1,712 channels; 336 x 10 + 10 of the linear layer.
// 1,652,826, which Keras programs of it print, is with a bias for each channel.
TEST_CASE("MiniGoogLeNet has the paper's modules, exactly") {
  const Graph graph =
      make_model("minigooglenet", {.classes = 10, .side = 32, .mean = {.5, .25, .125}});
  const int modules[][3] = {{96, 32, 32},  {64, 32, 48},  {160, 112, 48},  {160, 96, 64},
                            {160, 80, 80}, {160, 48, 96}, {240, 176, 160}, {336, 176, 160}};
  std::int64_t parameters = 3 * 9 * 96 + 9 * 80 * 80 + 9 * 144 * 96 + 2 * 1712 + 336 * 10 + 10;
  for (const auto& [input, narrow, wide] : modules) parameters += input * narrow + 9 * input * wide;
  CHECK(measure(graph).parameters == parameters);
  CHECK(measure(graph).parameters == 1652826 - 1712);
  CHECK(measure(graph).norm_statistics == 2 * 1712);
  CHECK(output_sides(
            graph,
            32)[static_cast<std::size_t>(&find(graph, "downsample8") - graph.layers.data())] == 7);
  CHECK(find(graph, "mean").kernel == 7);
  CHECK(graph.mean == std::vector{.5, .25, .125});
  CHECK(is_classifier(graph));
  CHECK_FALSE(is_classifier(make_model("yolov8n", {})));
  CHECK(class_rows(graph).at("linear") == ClassRows{1, 0});
}

TEST_CASE(
    "rows of classes: per anchor after its box, without anchors all rows of the class branch") {
  const auto tiny = class_rows(make_model("yolov3-tiny", {.classes = 7}));
  REQUIRE(tiny.size() == 2);
  CHECK(tiny.at("scale16_output").groups == 3);
  CHECK(tiny.at("scale16_output").shared == 5);
  const auto free = class_rows(make_model("yolov8n", {.classes = 7}));
  REQUIRE(free.size() == 3);
  CHECK(free.at("head8_class_output").groups == 1);
  CHECK(free.at("head8_class_output").shared == 0);
}

TEST_CASE("operations grow with the area") {
  const double at_416 = measure(make_model("yolov3-tiny", {.classes = 80, .side = 416})).gflops;
  const double at_832 = measure(make_model("yolov3-tiny", {.classes = 80, .side = 832})).gflops;
  CHECK(at_832 == doctest::Approx(4 * at_416));
}

TEST_CASE("stages are cut where keras-yolo3 freezes") {
  const Graph yolov3 = make_model("yolov3", {});
  CHECK(count(yolov3, LayerKind::conv, "backbone") == 52);
  CHECK(count(yolov3, LayerKind::add, "backbone") == 23);
  CHECK(keras_layers(yolov3) == 185);
  CHECK(count(yolov3, LayerKind::conv, "neck") == 20);
  CHECK(count(yolov3, LayerKind::conv, "head") == 3);
  const Graph tiny = make_model("yolov3-tiny", {});
  CHECK(keras_layers(tiny) == 20);
  CHECK(count(tiny, LayerKind::conv, "backbone") == 5);
  CHECK(count(tiny, LayerKind::conv, "neck") == 6);
  CHECK(count(tiny, LayerKind::conv, "head") == 2);
}

TEST_CASE("heads are coarse to fine with the published anchors") {
  const Graph yolov3 = make_model("yolov3", {.classes = 80, .side = 416});
  REQUIRE(yolov3.outputs.size() == 3);
  const std::vector<int> sides = output_sides(yolov3, 416);
  const int strides[] = {32, 16, 8};
  for (std::size_t i = 0; i < 3; ++i) {
    const Layer& head = yolov3.layers[static_cast<std::size_t>(yolov3.outputs[i])];
    CHECK(head.channels == 255);
    CHECK(head.head_stride == strides[i]);
    CHECK(sides[static_cast<std::size_t>(yolov3.outputs[i])] == 416 / strides[i]);
    CHECK(head.anchor_mask.front() == 6 - 3 * static_cast<int>(i));
  }
  CHECK(yolov3.anchors[0] == 10);
  CHECK(yolov3.anchors[17] == 326);
  CHECK(yolov3.ignore_iou == 0.5);
  const Graph tiny = make_model("yolov3-tiny", {.classes = 3, .side = 416});
  CHECK(find(tiny, "scale32_head").anchor_mask == std::vector<int>{3, 4, 5});
  CHECK(find(tiny, "scale16_head").anchor_mask == std::vector<int>{1, 2, 3});
  CHECK(find(tiny, "scale16_head").channels == 24);
  CHECK(tiny.ignore_iou == 0.7);
  const Graph own = make_model(
      "yolov3-tiny",
      {.classes = 3, .side = 416, .anchors = {8, 8, 16, 16, 24, 24, 40, 40, 80, 80, 120, 120}});
  CHECK(find(own, "scale16_head").anchor_mask == std::vector<int>{0, 1, 2});
}

TEST_CASE("yolov3-tiny's last pool keeps the size, padded right and below only") {
  const Graph tiny = make_model("yolov3-tiny", {});
  const Layer& pool = find(tiny, "pool6");
  CHECK(pool.kernel == 2);
  CHECK(pool.stride == 1);
  CHECK(pool.padding == 0);
  CHECK(pool.padding_end == 1);
  CHECK(output_sides(tiny, 416)[static_cast<std::size_t>(&pool - tiny.layers.data())] == 13);
}

TEST_CASE("published anchors scale with the side, given ones stay as they are") {
  const Graph scaled = make_model("yolov3-tiny", {.classes = 1, .side = 832});
  CHECK(scaled.anchors[0] == 20);
  CHECK(scaled.anchors[11] == 638);
  const std::vector<double> own{5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10};
  CHECK(make_model("yolov3-tiny", {.classes = 1, .side = 832, .anchors = own}).anchors == own);
}

TEST_CASE("options that do not fit say what would") {
  CHECK_THROWS_WITH_AS(make_model("yolov3-tny", {}),
                       "unknown model 'yolov3-tny'; did you mean 'yolov3-tiny'? known: "
                       "yolov3-tiny, yolov3, yolov8n, yolov8s, yolov8m, yolo11n, yolo11s, yolo11m, "
                       "minigooglenet",
                       Error);
  CHECK_THROWS_WITH_AS(make_model("yolov3", {.classes = 0}),
                       "model yolov3: classes is 0, must be 1 or more; name the classes of the set",
                       Error);
  CHECK_THROWS_WITH_AS(
      make_model("yolov3", {.side = 400}),
      "model yolov3: side is 400, must be a multiple of 32 from 32 to 8192, such as 416 or 640",
      Error);
  CHECK_THROWS_WITH_AS(
      make_model("yolov3", {.anchors = {1, 2}}),
      "model yolov3: 2 anchor values given, must be 18 (width and height of 9 anchors)", Error);
  CHECK_THROWS_WITH_AS(
      make_model("minigooglenet", {.side = 416}),
      "model minigooglenet: side is 416, must be 32 to 224: it is for small pictures", Error);
  CHECK_THROWS_WITH_AS(make_model("yolov8n", {.anchors = {9, 9}}),
                       "model yolov8n: 2 anchor values given, it has no anchors; leave them out",
                       Error);
  CHECK_THROWS_WITH_AS(
      make_model("yolov3-tiny", {.anchors = {9, 9, 2, 2, 10, 10, 11, 11, 12, 12, 13, 13}}),
      "graph: anchor 1 is 2 x 2, smaller than the one before; order anchors by area, smallest "
      "first",
      Error);
}

TEST_CASE("every model is listed, can be made at several sides and survives its JSON") {
  const std::vector<ModelInfo> infos = model_infos();
  REQUIRE(infos.size() >= 2);
  for (const ModelInfo& info : infos) {
    CAPTURE(info.name);
    CHECK(!info.help.empty());
    const bool is_small = info.name == "minigooglenet";
    for (const int side : is_small ? std::vector{32, 64, 96} : std::vector{96, 416, 640}) {
      const Graph graph = make_model(info.name, {.classes = 3, .side = side});
      CHECK(graph.model == info.name);
      CHECK(static_cast<int>(graph.anchors.size()) == 2 * info.anchors);
      const std::string text = to_json(graph);
      const Graph read = graph_from_json(text);
      CHECK(to_json(read) == text);
      CHECK(measure(read).parameters == measure(graph).parameters);
      CHECK(read.anchors == graph.anchors);
      CHECK(output_sides(read, side) == output_sides(graph, side));
    }
  }
}
