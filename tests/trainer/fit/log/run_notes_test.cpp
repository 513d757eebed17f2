#include "trainer/fit/log/run_notes.h"

#include <doctest/doctest.h>

using namespace letterpress;

TEST_CASE("the progress line names epoch, step, terms, rate, data_wait, memory and ETA") {
  CHECK(progress_text({.epoch = 3,
                       .epochs = 40,
                       .step = 52,
                       .steps = 693,
                       .term_names = {"box_xy", "objectness"},
                       .terms = {1.2131, 12.06},
                       .lr = 0.00097,
                       .images_per_s = 23.14,
                       .data_wait = 0.0031,
                       .memory = std::int64_t{5} << 28,
                       .remaining_s = 720}) ==
        "epoch 3/40  step 52/693  box_xy 1.21  objectness 12.1  lr 0.00097  23.1 images/s  "
        "data_wait 0.3 %  memory 1.2 GiB  ETA 12 min");
}
