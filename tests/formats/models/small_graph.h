#pragma once
#include "letterpress/models/graph.h"

namespace letterpress {

// images -> conv -> add with a slice of it -> head; small enough to say everything about it by
// hand.
inline Graph small_graph() {
  Graph graph{.model = "small", .loss = "yolov3", .classes = 1, .side = 16};
  graph.layers = {
      {.name = "images", .channels = 3, .stage = "backbone"},
      {.name = "first",
       .kind = LayerKind::conv,
       .inputs = {0},
       .channels = 12,
       .kernel = 3,
       .stride = 2,
       .padding = 1,
       .norm = true,
       .activation = Activation::silu,
       .stage = "backbone"},
      {.name = "left", .kind = LayerKind::slice, .inputs = {1}, .channels = 6, .stage = "neck"},
      {.name = "right",
       .kind = LayerKind::slice,
       .inputs = {1},
       .channels = 6,
       .slice_first = 6,
       .stage = "neck"},
      {.name = "joined", .kind = LayerKind::add, .inputs = {2, 3}, .channels = 6, .stage = "neck"},
      {.name = "out",
       .kind = LayerKind::head,
       .inputs = {4},
       .channels = 6,
       .stage = "head",
       .head_stride = 2,
       .anchor_mask = {0}},
  };
  graph.outputs = {5};
  graph.anchors = {4, 4};
  return graph;
}

}  // namespace letterpress
