#include "tests/trainer/augment/batch_case.h"

using namespace letterpress;

TEST_CASE("half of all pictures are mirrored, and their boxes lie on the mirrored rectangles") {
  const Batch batch = four_pictures();
  int mirrored = 0;
  for (std::int64_t step = 0; step < 100; ++step) {
    const Batch flipped = apply("flip", batch, at_step(step, batch));
    for (std::int64_t row = 0; row < 4; ++row) {
      const bool same = same_pixels(flipped, batch, row);
      if (!same) ++mirrored;
      CHECK(
          torch::equal(flipped.images[row], same ? batch.images[row] : batch.images[row].flip(2)));
      if (step < 5)
        CHECK(check_boxes_lie_on_pixels(flipped, row) == (row == 0 || row == 3 ? 1 : row + 1));
      // By hand: x of 4..12 in 32 pixels becomes 20..28.
      if (row == 0) CHECK(number(flipped.boxes[0][0][0]) == (same ? 4 : 20));
      if (row == 0) CHECK(number(flipped.boxes[0][0][2]) == (same ? 12 : 28));
    }
  }
  CHECK(mirrored > 160);
  CHECK(mirrored < 240);
}

TEST_CASE("mirrored twice, a batch is what it was") {
  const Batch batch = four_pictures();
  for (std::int64_t step = 0; step < 10; ++step) {
    const BatchPosition position = at_step(step, batch);
    const Batch twice = apply("flip", apply("flip", batch, position), position);
    CHECK(torch::equal(twice.images, batch.images));
    CHECK(torch::equal(twice.boxes, batch.boxes));
  }
}
