#include <algorithm>

#include "tests/trainer/augment/batch_case.h"
#include "trainer/augment/padded_boxes.h"

using namespace letterpress;

TEST_CASE(
    "half of all pictures are laid over another one, 0.4 to 0.6 of each, with the boxes of both") {
  const Batch batch = four_pictures();
  const auto classes = [](const Batch& of, std::int64_t at) {
    std::vector<int> list;
    for (std::int64_t i = 0; i < of.boxes.size(1); ++i)
      if (number(of.boxes[at][i][4]) >= 0)
        list.push_back(static_cast<int>(number(of.boxes[at][i][4])));
    return list;
  };
  const auto check_mixed = [&](const Batch& result, const torch::Tensor& numbers,
                               std::int64_t row) {
    const std::int64_t other =
        (row + 1 + static_cast<std::int64_t>(number(numbers[row][1]) * 3)) % 4;
    CHECK(other != row);
    const double share = 0.4 + 0.2 * number(numbers[row][2]);
    const torch::Tensor wanted = batch.images[row] * share + batch.images[other] * (1 - share);
    CHECK(torch::allclose(result.images[row], wanted, 0, 1e-6));
    std::vector<int> both = classes(batch, row), found = classes(result, row);
    for (const int id : classes(batch, other)) both.push_back(id);
    std::sort(both.begin(), both.end());
    std::sort(found.begin(), found.end());
    CHECK(found == both);
  };
  const int mixed =
      check_half_changed({.operation = "mixup", .steps = 20, .numbers = 3}, batch, check_mixed);
  CHECK(mixed > 25);
  CHECK(mixed < 55);
}

TEST_CASE("a picture alone is not mixed; where each has room for one box, both boxes stay") {
  const Batch alone = batch_of(32, {{{4, 8, 12, 20}}}, 4);
  for (std::int64_t step = 0; step < 10; ++step) {
    const Batch result = apply("mixup", alone, at_step(step, alone));
    CHECK(torch::equal(result.images, alone.images));
    CHECK(torch::equal(result.boxes, alone.boxes));
  }
  const Batch pair = batch_of(32, {{{4, 8, 12, 20}}, {{0, 0, 30, 30}}}, 1);
  int mixed = 0;
  for (std::int64_t step = 0; step < 20; ++step) {
    const Batch result = apply("mixup", pair, at_step(step, pair));
    for (std::int64_t row = 0; row < 2; ++row) {
      const bool changed = !same_pixels(result, pair, row);
      mixed += changed;
      CHECK((result.boxes[row].select(1, 4) >= 0).sum().item<int>() == (changed ? 2 : 1));
    }
  }
  CHECK(mixed > 3);
}

TEST_CASE("of more boxes than a batch has room for the largest stay, which is many") {
  CHECK(mixed_slots(8, 4) == 32);
  CHECK(mixed_slots(64, 4) == 128);
  CHECK(mixed_slots(100, 4) == 128);
  CHECK(mixed_slots(300, 4) == 300);
  const Batch batch = four_pictures();
  const PaddedBoxes all{batch.boxes, batch.flags, batch.boxes.select(2, 4) >= 0};
  const PaddedBoxes two = largest(all, 2);
  // Of row 2: 28 x 10, 10 x 8 and 6 x 6.
  CHECK(number(two.boxes[2][0][4]) == 16);
  CHECK(number(two.boxes[2][1][4]) == 17);
  CHECK(number(two.boxes[0][1][4]) == -1);
}
