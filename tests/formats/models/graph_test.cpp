#include "letterpress/models/graph.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "tests/formats/models/small_graph.h"

using namespace letterpress;

namespace {

/// Three heads of attention over 24 channels, then one convolution for each channel.
Graph mixer_graph() {
  Graph graph{.model = "mixer", .loss = "task-aligned", .classes = 2, .side = 16};
  graph.layers = {
      {.name = "images", .channels = 3, .stage = "backbone"},
      {.name = "qkv",
       .kind = LayerKind::conv,
       .inputs = {0},
       .channels = 24,
       .stride = 2,
       .stage = "backbone"},
      {.name = "attend",
       .kind = LayerKind::attention,
       .inputs = {1},
       .channels = 12,
       .attention_heads = 3,
       .key_channels = 2,
       .stage = "backbone"},
      {.name = "place",
       .kind = LayerKind::conv,
       .inputs = {2},
       .channels = 6,
       .kernel = 3,
       .padding = 1,
       .groups = 6,
       .norm = true,
       .stage = "head"},
      {.name = "out",
       .kind = LayerKind::head,
       .inputs = {3},
       .channels = 6,
       .stage = "head",
       .head_stride = 2},
  };
  graph.outputs = {4};
  return graph;
}

}  // namespace

TEST_CASE("a small graph is measured as by hand") {
  const Graph graph = small_graph();
  const GraphSize size = measure(graph);
  CHECK(size.parameters == 12 * 3 * 9 + 2 * 12);
  CHECK(size.norm_statistics == 24);
  CHECK(size.gflops == doctest::Approx(2.0 * 12 * 3 * 9 * 8 * 8 / 1e9));
  CHECK(output_sides(graph, 16) == std::vector<int>{16, 8, 8, 8, 8, 8});
}

TEST_CASE("a classifier's layers are measured as by hand") {
  Graph graph{.model = "classifier", .loss = "cross-entropy", .classes = 10, .side = 8};
  graph.layers = {
      {.name = "images", .channels = 3, .stage = "backbone"},
      {.name = "conv",
       .kind = LayerKind::conv,
       .inputs = {0},
       .channels = 4,
       .kernel = 3,
       .stride = 2,
       .stage = "backbone"},
      {.name = "pool",
       .kind = LayerKind::average_pool,
       .inputs = {1},
       .channels = 4,
       .kernel = 2,
       .stride = 1,
       .stage = "backbone"},
      {.name = "flat", .kind = LayerKind::flatten, .inputs = {2}, .channels = 16, .stage = "head"},
      {.name = "drop",
       .kind = LayerKind::dropout,
       .inputs = {3},
       .channels = 16,
       .dropout = 0.5,
       .stage = "head"},
      {.name = "linear", .kind = LayerKind::linear, .inputs = {4}, .channels = 10, .stage = "head"},
      {.name = "out", .kind = LayerKind::head, .inputs = {5}, .channels = 10, .stage = "head"},
  };
  graph.outputs = {6};
  CHECK_NOTHROW(validate(graph));
  CHECK(output_sides(graph, 8) == std::vector<int>{8, 3, 2, 1, 1, 1, 1});
  CHECK(measure(graph).parameters == (4 * 27 + 4) + (160 + 10));
  CHECK(to_json(graph_from_json(to_json(graph))) == to_json(graph));
  graph.layers[3].channels = 15;
  CHECK_THROWS_WITH_AS(validate(graph), "layer 3 'flat': channels is 15, its inputs make it 16",
                       Error);
  graph.layers[5].inputs = {2};
  graph.layers[3].channels = 16;
  CHECK_THROWS_WITH_AS(
      validate(graph),
      "layer 5 'linear': inputs must be flattened; put a flatten layer before linear", Error);
}

TEST_CASE("attention and groups are measured and refused as by hand") {
  Graph graph = mixer_graph();
  CHECK_NOTHROW(validate(graph));
  CHECK(output_sides(graph, 16) == std::vector<int>{16, 8, 8, 8, 8});
  CHECK(measure(graph).parameters == (24 * 3 + 24) + (6 * 2 * 9 + 2 * 6));
  CHECK(to_json(graph_from_json(to_json(graph))) == to_json(graph));
  const Graph good = graph;
  graph.layers[3].groups = 5;
  CHECK_THROWS_WITH_AS(
      validate(graph),
      "layer 3 'place': groups is 5, must divide its input's 12 and its own 6 channels", Error);
  graph = good;
  graph.layers[2].channels = 8;
  CHECK_THROWS_WITH_AS(validate(graph), "layer 2 'attend': channels is 8, its inputs make it 12",
                       Error);
  graph = good;
  graph.layers[2].key_channels = 4;
  CHECK_THROWS_WITH_AS(validate(graph),
                       "layer 2 'attend': its input has 24 channels, of 3 attention_heads with 4 "
                       "key_channels: 0 are left for their values, must be a multiple of the heads",
                       Error);
  graph.layers[2].key_channels = 0;
  CHECK_THROWS_WITH_AS(validate(graph), "layer 2 'attend': key_channels is 0, must be 1 to 4096",
                       Error);
  graph = good;
  graph.layers[2].groups = 3;
  CHECK_THROWS_WITH_AS(validate(graph),
                       "layer 2 'attend': groups is set, but attention has none; remove it", Error);
}
