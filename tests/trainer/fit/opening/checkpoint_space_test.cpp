#include "trainer/fit/opening/checkpoint_space.h"

#include <doctest/doctest.h>

using namespace letterpress;

TEST_CASE("where there is too little room for checkpoints it is said, with both sizes") {
  // yolov8n has 3.2 million weights: a last.safetensors of 49 MiB, a best.safetensors of 12.
  const Graph graph = make_model("yolov8n", {.classes = 80, .side = 640});
  CHECK_FALSE(scarce_space(graph, 130 << 20));
  const auto scarce = scarce_space(graph, 100 << 20);
  REQUIRE(scarce);
  CHECK(*scarce ==
        "checkpoints of this model may need 121 MiB on disk while they are written, 100 MiB are "
        "free where --out is");
}
