#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "letterpress/base/box.h"
#include "tests/trainer/augment/batch_case.h"

using namespace letterpress;

namespace {

constexpr auto kIsCut = static_cast<double>(kCut);

struct Drawn {
  std::int64_t x, y;                   ///< where the pictures meet
  std::vector<std::int64_t> pictures;  ///< top left, top right, bottom left, bottom right
};

// By the documented rule, in double: the middle half of 32 pixels is 8 to 24.
Drawn drawn_for(const torch::Tensor& numbers, std::int64_t row, std::int64_t rows) {
  const auto number_of = [&](std::int64_t i) { return number(numbers[row][i]); };
  Drawn drawn{8 + static_cast<std::int64_t>(number_of(1) * 17),
              8 + static_cast<std::int64_t>(number_of(2) * 17),
              {row}};
  // Three of the others, the next one each of those that are left.
  std::vector<std::int64_t> others;
  for (std::int64_t i = 1; i < rows; ++i) others.push_back((row + i) % rows);
  for (std::int64_t i = 3; i < 6; ++i) {
    const auto at = others.begin() +
                    static_cast<std::int64_t>(number_of(i) * static_cast<double>(others.size()));
    drawn.pictures.push_back(*at);
    others.erase(at);
  }
  return drawn;
}

// Pixel by pixel what a mosaic is.
double wanted_pixel(const Batch& batch, const Drawn& drawn, std::int64_t channel, std::int64_t x,
                    std::int64_t y) {
  const bool right = x >= drawn.x, below = y >= drawn.y;
  const std::int64_t u = x - (right ? drawn.x : drawn.x - 16),
                     v = y - (below ? drawn.y : drawn.y - 16);
  if (u < 0 || v < 0 || u >= 16 || v >= 16)
    return static_cast<double>(static_cast<float>(114.0 / 255));
  const auto image = batch.images.accessor<float, 4>();
  const std::int64_t from = drawn.pictures[(right ? 1 : 0) + (below ? 2 : 0)];
  double sum = 0;
  for (const std::int64_t i : {0, 1})
    for (const std::int64_t k : {0, 1}) sum += image[from][channel][2 * v + i][2 * u + k];
  return sum / 4;
}

// Where the box of a picture of the batch is in the mosaic; empty when too little of it is left.
std::vector<double> wanted_box(const Batch& batch, const Drawn& drawn, std::size_t quarter,
                               std::int64_t place) {
  const torch::Tensor box = batch.boxes[drawn.pictures[quarter]][place];
  const std::int64_t left = quarter % 2 == 1 ? drawn.x : drawn.x - 16,
                     top = quarter / 2 == 1 ? drawn.y : drawn.y - 16;
  std::vector<double> whole, cut;
  for (std::int64_t i = 0; i < 4; ++i) {
    whole.push_back(number(box[i]) / 2 + static_cast<double>(i % 2 == 0 ? left : top));
    cut.push_back(std::min(32.0, std::max(0.0, whole.back())));
  }
  const double width = cut[2] - cut[0], height = cut[3] - cut[1];
  const double share = width * height / ((whole[2] - whole[0]) * (whole[3] - whole[1]));
  if (number(box[4]) < 0 || width <= 2 || height <= 2 || share < 0.15) return {};
  const bool is_cut = cut != whole;
  cut.push_back(number(box[4]));
  cut.push_back(is_cut ? kIsCut : 0);
  return cut;
}

}  // namespace

TEST_CASE(
    "half of all pictures become mosaics: pixels and boxes are those of four halved pictures that "
    "meet in a point") {
  const Batch batch = four_pictures(16);
  int cut_boxes = 0, gone = 0;
  const auto check_mosaic = [&](const Batch& result, const torch::Tensor& numbers,
                                std::int64_t row) {
    const Drawn drawn = drawn_for(numbers, row, 4);
    double furthest = 0;
    const auto image = result.images.accessor<float, 4>();
    for (std::int64_t channel = 0; channel < 3; ++channel)
      for (std::int64_t y = 0; y < 32; ++y)
        for (std::int64_t x = 0; x < 32; ++x)
          furthest = std::max(furthest, std::abs(image[row][channel][y][x] -
                                                 wanted_pixel(batch, drawn, channel, x, y)));
    CHECK(furthest < 1e-6);

    std::vector<std::vector<double>> wanted, got;
    for (std::size_t quarter = 0; quarter < 4; ++quarter) {
      for (std::int64_t i = 0; i < 16; ++i) {
        const auto box = wanted_box(batch, drawn, quarter, i);
        if (!box.empty()) wanted.push_back(box);
        if (box.empty() && number(batch.boxes[drawn.pictures[quarter]][i][4]) >= 0) ++gone;
        if (!box.empty() && box.back() == kIsCut) ++cut_boxes;
      }
    }
    for (std::int64_t i = 0; i < 16; ++i) {
      if (number(result.boxes[row][i][4]) < 0) continue;
      got.emplace_back();
      for (std::int64_t k = 0; k < 5; ++k) got.back().push_back(number(result.boxes[row][i][k]));
      got.back().push_back(number(result.flags[row][i]));
    }
    std::sort(wanted.begin(), wanted.end());
    std::sort(got.begin(), got.end());
    CHECK(got == wanted);
  };
  const int mosaics =
      check_half_changed({.operation = "mosaic", .steps = 12, .numbers = 6}, batch, check_mosaic);
  CHECK(mosaics > 12);
  CHECK(mosaics < 36);
  CHECK(cut_boxes > 0);
  CHECK(gone > 0);
}

TEST_CASE("a mosaic's boxes lie on the rectangles of their pictures") {
  const Batch batch = four_pictures(16);
  int boxes = 0;
  for (std::int64_t step = 0; step < 40; ++step) {
    const Batch result = apply("mosaic", batch, at_step(step, batch));
    const torch::Tensor numbers = draw("mosaic", batch, at_step(step, batch), 6);
    for (std::int64_t row = 0; row < 4; ++row) {
      if (number(numbers[row][0]) < 0.5) boxes += check_boxes_lie_on_pixels(result, row);
    }
  }
  CHECK(boxes > 20);
}

TEST_CASE("a mosaic keeps the boxes of all four pictures, however few places each has") {
  const Batch batch = four_pictures(3);
  const auto areas = [](const Batch& of, std::int64_t row) {
    std::vector<double> sizes;
    for (std::int64_t i = 0; i < of.boxes.size(1); ++i) {
      const torch::Tensor box = of.boxes[row][i];
      if (number(box[4]) >= 0) sizes.push_back(number((box[2] - box[0]) * (box[3] - box[1])));
    }
    std::sort(sizes.rbegin(), sizes.rend());
    return sizes;
  };
  int more = 0;
  for (std::int64_t step = 0; step < 12; ++step) {
    const BatchPosition position = at_step(step, batch);
    const Batch roomy = apply("mosaic", four_pictures(16), position),
                tight = apply("mosaic", batch, position);
    for (std::int64_t row = 0; row < 4; ++row) {
      const std::vector<double> all = areas(roomy, row);
      if (all.size() > 3) ++more;
      CHECK(areas(tight, row) == all);
    }
    CHECK(tight.flags.size(1) == tight.boxes.size(1));
  }
  CHECK(more > 0);
}

TEST_CASE("the three others of a mosaic are all different, each as often as any") {
  constexpr std::int64_t kRows = 6;
  const Batch batch = batch_of(32, std::vector<std::vector<CaseBox>>(kRows), 1);
  std::map<std::int64_t, int> times;  // by how many rows behind
  for (std::int64_t step = 0; step < 400; ++step) {
    const torch::Tensor numbers = draw("mosaic", batch, at_step(step, batch), 6);
    const auto others = choose_three_others(numbers.narrow(1, 3, 3));
    for (std::int64_t row = 0; row < kRows; ++row) {
      std::set<std::int64_t> chosen{row};
      for (const torch::Tensor& one : others) {
        chosen.insert(one[row].item<std::int64_t>());
        ++times[(one[row].item<std::int64_t>() - row + kRows) % kRows];
      }
      CHECK(chosen.size() == 4);
    }
  }
  // 7,200 draws of five: 1,440 each, with a standard deviation under 34.
  CHECK(times.size() == 5);
  for (const auto& [behind, n] : times) CHECK(std::abs(n - 1440) < 150);
}

TEST_CASE("what a recipe keeps, a mosaic keeps: small boxes, slivers, and any part of a crowd") {
  const Batch batch = batch_of(32, {{{4, 8, 7, 11}}, {}, {}, {}}, 2);
  const auto kept = [](const Batch& of, const BoxRule& rule) {
    int n = 0;
    for (std::int64_t step = 0; step < 20; ++step) {
      BatchPosition position = at_step(step, of);
      position.boxes_left = rule;
      n += (apply("mosaic", of, position).boxes.select(2, 4) >= 0).sum().item<int>();
    }
    return n;
  };
  // 3 pixels wide, 1.5 in a mosaic.
  CHECK(kept(batch, {.min_side = 1}) > kept(batch, kDetectBoxRule));
  Batch large = batch_of(32, {{{0, 0, 32, 32}}, {}, {}, {}}, 2);
  const int of_object = kept(large, {.min_area = 0.9});
  large.flags[0][0] = static_cast<int>(kCrowd);
  CHECK(kept(large, {.min_area = 0.9}) > of_object);
}

TEST_CASE("a picture alone makes a mosaic of itself") {
  const Batch batch = batch_of(32, {{{4, 8, 12, 20}}}, 4);
  int several = 0;
  for (std::int64_t step = 0; step < 20; ++step) {
    const Batch result = apply("mosaic", batch, at_step(step, batch));
    for (std::int64_t i = 0; i < 4; ++i) CHECK(number(result.boxes[0][i][4]) <= 0);
    if (number(result.boxes[0][1][4]) == 0) ++several;
  }
  CHECK(several > 3);
}
