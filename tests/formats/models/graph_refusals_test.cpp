#include <doctest/doctest.h>

#include <span>

#include "letterpress/base/error.h"
#include "letterpress/models/graph.h"
#include "tests/formats/models/small_graph.h"

using namespace letterpress;

namespace {

struct Damage {
  void (*apply)(Graph&);
  const char* message;
};

void check_refused(std::span<const Damage> damages) {
  CHECK_NOTHROW(validate(small_graph()));
  for (const Damage& damage : damages) {
    CAPTURE(damage.message);
    Graph graph = small_graph();
    damage.apply(graph);
    CHECK_THROWS_WITH_AS(validate(graph), damage.message, Error);
  }
}

}  // namespace

TEST_CASE("a wrong field of a layer is refused with layer and field") {
  const Damage damages[] = {
      {[](Graph& g) { g.layers[1].kernel = 0; }, "layer 1 'first': kernel is 0, must be 1 to 63"},
      {[](Graph& g) { g.layers[1].stride = -2; }, "layer 1 'first': stride is -2, must be 1 to 64"},
      {[](Graph& g) { g.layers[1].norm_epsilon = 0; },
       "layer 1 'first': norm_epsilon is 0, must be 1e-12 to 1"},
      {[](Graph& g) { g.layers[2].norm = true; },
       "layer 2 'left': norm is set, but slice has none; remove it"},
      {[](Graph& g) { g.layers[2].kernel = 3; },
       "layer 2 'left': kernel is set, but slice has none; remove it"},
      {[](Graph& g) { g.layers[2].activation = Activation::relu; },
       "layer 2 'left': activation is set, but slice has none; remove it"},
      {[](Graph& g) { g.layers[1].anchor_mask = {0}; },
       "layer 1 'first': anchor_mask is set, but conv has none; remove it"},
      {[](Graph& g) { g.layers[2].name = "first"; },
       "layer 2 'first': name is used by an earlier layer; names must differ"},
      {[](Graph& g) { g.layers[2].name = "a.b"; },
       "layer 2 'a.b': name must be 1 to 100 letters, digits, '_' or '-'"},
      {[](Graph& g) { g.layers[1].name = "train"; },
       "layer 1 'train': name is taken for training's tensors; choose another"},
      {[](Graph& g) { g.layers[2].stage = ""; },
       "layer 2 'left': stage must be a name, such as backbone, neck or head"},
      {[](Graph& g) { g.layers[1].channels = 0; },
       "layer 1 'first': channels is 0, must be 1 to 65536"},
  };
  check_refused(damages);
}

TEST_CASE("layers that do not fit together are refused with layer and field") {
  const Damage damages[] = {
      {[](Graph& g) { g.layers[0].channels = 4; },
       "layer 0 'images': channels is 4, its inputs make it 3"},
      {[](Graph& g) { g.layers[4].inputs = {2}; },
       "layer 4 'joined': inputs has 1 layers, must be 2 or more"},
      {[](Graph& g) {
         g.layers[1].inputs = {0, 0};
       },
       "layer 1 'first': inputs has 2 layers, must be 1"},
      {[](Graph& g) { g.layers[1].inputs = {1}; },
       "layer 1 'first': inputs names layer 1, must be an earlier one (0 to 0)"},
      {[](Graph& g) { g.layers[1].inputs = {-1}; },
       "layer 1 'first': inputs names layer -1, must be an earlier one (0 to 0)"},
      {[](Graph& g) { g.layers[1] = g.layers[0], g.layers[1].name = "b"; },
       "layer 1 'b': kind is input, layer 0 and no other must be the input"},
      {[](Graph& g) { g.layers[3].slice_first = 7; },
       "layer 3 'right': slice_first 7 + channels 6 is more than its input's 12 channels"},
      {[](Graph& g) { g.layers[3].channels = 5; },
       "layer 4 'joined': adds layers of 6 and 5 channels, must be equal"},
      {[](Graph& g) { g.layers[5].channels = 7; },
       "layer 5 'out': channels is 7, its inputs make it 6"},
      {[](Graph& g) { g.classes = 2; },
       "layer 5 'out': channels is 6, 1 anchors and 2 classes make it 7"},
      {[](Graph& g) { g.layers[5].anchor_mask = {1}; },
       "layer 5 'out': anchor_mask names anchor 1, the graph has 1"},
      {[](Graph& g) { g.layers[5].head_stride = 4; },
       "layer 5 'out': head_stride is 4, but 16 pixels become 8 cells"},
      {[](Graph& g) {
         g.layers[4].inputs = {2, 0};
       },
       "layer 4 'joined': its inputs are 8 and 16 wide when the pictures are 16 pixels wide; "
       "choose another side (a multiple of 32)"},
      {[](Graph& g) { g.layers[1].kernel = 63; },
       "layer 1 'first': its output would be 0 wide when the pictures are 16 pixels wide; choose "
       "another side (a multiple of 32)"},
  };
  check_refused(damages);
}

TEST_CASE("a wrong field of the graph is refused") {
  const Damage damages[] = {
      {[](Graph& g) { g.outputs = {}; }, "graph: outputs is empty, must name at least one head"},
      {[](Graph& g) { g.outputs = {4}; }, "graph: outputs names layer 4, which is not a head"},
      {[](Graph& g) { g.outputs = {99}; }, "graph: outputs names layer 99, which is not a head"},
      {[](Graph& g) {
         g.outputs = {5, 5};
       },
       "graph: outputs has stride 2 after 2, must be coarse to fine"},
      {[](Graph& g) { g.classes = 0; }, "graph: classes is 0, must be 1 to 65536"},
      {[](Graph& g) { g.side = 1 << 20; }, "graph: side is 1048576, must be 1 to 16384"},
      {[](Graph& g) { g.layers.resize(1); }, "graph: number of layers is 1, must be 2 to 10000"},
      {[](Graph& g) { g.anchors = {4}; },
       "graph: anchors has 1 values, must be pairs of width and height"},
      {[](Graph& g) {
         g.anchors = {4, -1};
       },
       "graph: anchor 0 is 4 x -1, must be positive pixels"},
      {[](Graph& g) { g.mean = {0.5}; },
       "graph: mean has 1 values, must be red, green and blue, or none"},
      {[](Graph& g) {
         g.mean = {0.5, 128, 0.5};
       },
       "graph: mean holds 128, must be 0 to 1"},
      {[](Graph& g) { g.ignore_iou = 1.5; }, "graph: ignore_iou is 1.5, must be 0 to 1"},
  };
  check_refused(damages);
}

TEST_CASE("a pool whose window could see no pixel is refused") {
  Graph graph = small_graph();
  graph.layers[2] = {.name = "left",
                     .kind = LayerKind::max_pool,
                     .inputs = {1},
                     .channels = 12,
                     .kernel = 2,
                     .padding = 2,
                     .stage = "neck"};
  CHECK_THROWS_WITH_AS(
      validate(graph),
      "layer 2 'left': padding is 2, must be less than kernel (2): a window would see no pixel",
      Error);
}

TEST_CASE(
    "a graph of more parameters than any machine holds is refused before memory is asked for") {
  Graph graph = small_graph();
  for (int i = 0; i < 2; ++i) {
    Layer wide{.name = "wide" + std::to_string(i),
               .kind = LayerKind::conv,
               .inputs = {i == 0 ? 1 : 6},
               .channels = 65536,
               .kernel = 3,
               .padding = 1,
               .stage = "neck"};
    graph.layers.push_back(wide);
  }
  CHECK_THROWS_WITH_AS(validate(graph), doctest::Contains("parameters, must be at most 4294967296"),
                       Error);
}
