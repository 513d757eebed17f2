#include <algorithm>
#include <cmath>

#include "letterpress/base/box.h"
#include "tests/trainer/augment/batch_case.h"

using namespace letterpress;

namespace {

constexpr auto kFlaggedCut = static_cast<double>(kCut);
constexpr double kFill = 114.0 / 255;

struct Moved {
  double scale;
  double shift[2];
};

// By the documented rule, in double, for a frame of 32 pixels.
Moved moved_for(const torch::Tensor& numbers, std::int64_t row) {
  const auto drawn = [&](std::int64_t i) { return 2 * number(numbers[row][i]) - 1; };
  return {std::pow(1.25, drawn(0)), {3.2 * drawn(1), 3.2 * drawn(2)}};
}

// A pixel of the result, bilinear between the centres of those of the picture.
double wanted_pixel(const torch::TensorAccessor<float, 2>& picture, const Moved& moved,
                    std::int64_t x, std::int64_t y) {
  const double u = (static_cast<double>(x) + 0.5 - 16 - moved.shift[0]) / moved.scale + 16 - 0.5,
               v = (static_cast<double>(y) + 0.5 - 16 - moved.shift[1]) / moved.scale + 16 - 0.5;
  double sum = 0;
  for (const int i : {0, 1}) {
    for (const int k : {0, 1}) {
      const double column = std::floor(u) + k, line = std::floor(v) + i;
      const double weight = (1 - std::abs(u - column)) * (1 - std::abs(v - line));
      const bool inside = column >= 0 && column < 32 && line >= 0 && line < 32;
      sum +=
          weight *
          (inside ? static_cast<double>(
                        picture[static_cast<std::int64_t>(line)][static_cast<std::int64_t>(column)])
                  : kFill);
    }
  }
  return sum;
}

std::vector<double> wanted_box(const torch::Tensor& box, const Moved& moved) {
  std::vector<double> whole, cut;
  for (std::int64_t i = 0; i < 4; ++i) {
    whole.push_back((number(box[i]) - 16) * moved.scale + 16 + moved.shift[i % 2]);
    cut.push_back(std::clamp(whole.back(), 0.0, 32.0));
  }
  const double width = cut[2] - cut[0], height = cut[3] - cut[1],
               area = (whole[2] - whole[0]) * (whole[3] - whole[1]);
  if (number(box[4]) < 0 || width <= 2 || height <= 2 || width * height < 0.15 * area) return {};
  const bool is_cut = cut != whole;
  cut.push_back(number(box[4]));
  cut.push_back(is_cut ? kFlaggedCut : 0);
  return cut;
}

}  // namespace

TEST_CASE("affine: pixels and boxes are scaled about the middle and shifted, cut at the frame") {
  const Batch batch = batch_of(32,
                               {{{4, 8, 12, 20}, {0, 0, 4, 4}},
                                {{0, 0, 8, 8}, {16, 18, 30, 32}},
                                {{2, 2, 30, 12}, {28, 28, 32, 32}},
                                {{4, 6, 26, 26}, {0, 27, 5, 32}}},
                               6);
  int cut_boxes = 0, gone = 0, kept = 0;
  for (std::int64_t step = 0; step < 12; ++step) {
    const BatchPosition position = at_step(step, batch);
    const Batch result = apply("affine", batch, position);
    const torch::Tensor numbers = draw("affine", batch, position, 3);
    for (std::int64_t row = 0; row < 4; ++row) {
      CAPTURE(step);
      CAPTURE(row);
      const Moved moved = moved_for(numbers, row);
      double furthest = 0;
      for (std::int64_t channel = 0; channel < 3; ++channel) {
        const torch::Tensor before = batch.images[row][channel],
                            after = result.images[row][channel];
        const auto picture = before.accessor<float, 2>(),
                   moved_picture = after.accessor<float, 2>();
        for (std::int64_t y = 0; y < 32; ++y)
          for (std::int64_t x = 0; x < 32; ++x)
            furthest = std::max(furthest, std::abs(static_cast<double>(moved_picture[y][x]) -
                                                   wanted_pixel(picture, moved, x, y)));
      }
      CHECK(furthest < 1e-4);
      std::vector<std::vector<double>> wanted, got;
      for (std::int64_t i = 0; i < 6; ++i) {
        const auto box = wanted_box(batch.boxes[row][i], moved);
        if (!box.empty()) wanted.push_back(box);
        if (box.empty() && number(batch.boxes[row][i][4]) >= 0) ++gone;
        if (!box.empty() && box.back() == kFlaggedCut) ++cut_boxes;
        if (number(result.boxes[row][i][4]) < 0) continue;
        got.emplace_back();
        for (std::int64_t k = 0; k < 5; ++k) got.back().push_back(number(result.boxes[row][i][k]));
        got.back().push_back(number(result.flags[row][i]));
      }
      const auto by_class = [](const auto& a, const auto& b) { return a[4] < b[4]; };
      std::sort(wanted.begin(), wanted.end(), by_class);
      std::sort(got.begin(), got.end(), by_class);
      REQUIRE(got.size() == wanted.size());
      kept += static_cast<int>(got.size());
      for (std::size_t i = 0; i < got.size(); ++i)
        for (std::size_t k = 0; k < 6; ++k)
          CHECK(got[i][k] == doctest::Approx(wanted[i][k]).epsilon(1e-4));
    }
  }
  CHECK(kept > 48);
  CHECK(cut_boxes > 0);
  CHECK(gone > 0);
}

TEST_CASE("affine: a box is around the pixels of its rectangle") {
  const Batch batch = batch_of(64, {{{20, 24, 44, 40}}}, 2);
  for (std::int64_t step = 0; step < 12; ++step) {
    CAPTURE(step);
    const Batch result = apply("affine", batch, at_step(step, batch));
    // Red is 1 in the rectangle and 0.25 around it: half of the way at its edges.
    const torch::Tensor inside = (result.images[0][0] > 0.625).nonzero();
    const torch::Tensor low = std::get<0>(inside.min(0)), high = std::get<0>(inside.max(0)) + 1;
    for (std::int64_t k = 0; k < 2; ++k) {
      CHECK(std::abs(number(result.boxes[0][0][k]) - number(low[1 - k])) <= 0.51);
      CHECK(std::abs(number(result.boxes[0][0][2 + k]) - number(high[1 - k])) <= 0.51);
    }
  }
}
