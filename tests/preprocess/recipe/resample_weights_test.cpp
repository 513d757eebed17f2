#include <doctest/doctest.h>

#include <vector>

#include "preprocess/recipe/resample.h"

namespace letterpress {
namespace {

TEST_CASE("weights of one axis are those computed by hand") {
  AxisWeights weights;
  // Twice as large: frame pixel 1 has its centre at 0.75, a quarter of the way from pixel 0 to
  // pixel 1.
  compute_weights({2, 0, 4, 8}, LetterboxRule::Resize::linear, weights);
  CHECK(weights.first == 0);
  CHECK(weights.count == 8);
  CHECK(weights.taps == 2);
  CHECK(weights.start[1] == 0);
  CHECK(weights.weight[2] == 12288);
  CHECK(weights.weight[3] == 4096);
  CHECK(weights.weight[0] == 16384);  // left of the first centre: only that pixel
  // Half as large is under 1 / 1.5: the triangle is twice as wide, 1 3 3 1.
  compute_weights({0.5, 0, 8, 4}, LetterboxRule::Resize::linear, weights);
  CHECK(weights.taps == 4);
  CHECK(std::vector<int>(weights.weight.begin() + 4, weights.weight.begin() + 8) ==
        std::vector<int>{2048, 6144, 6144, 2048});
  // Keys' cubic at the middle between two pixels: -1 9 9 -1 sixteenths.
  compute_weights({1, 0.5, 8, 8}, LetterboxRule::Resize::cubic, weights);
  CHECK(std::vector<int>(weights.weight.begin() + 8, weights.weight.begin() + 12) ==
        std::vector<int>{-1024, 9216, 9216, -1024});
}

TEST_CASE("every weight row has the sum one, for any scale, offset and kernel") {
  for (const double scale : {0.013, 0.3, 0.66, 0.67, 1.0, 1.7, 30.0, -0.4, -2.5}) {
    for (const auto resize : {LetterboxRule::Resize::linear, LetterboxRule::Resize::cubic}) {
      AxisWeights weights;
      compute_weights({scale, 20.25, 300, 64}, resize, weights);
      REQUIRE(weights.count > 0);
      for (int i = 0; i < weights.count; ++i) {
        int sum = 0;
        for (int k = 0; k < weights.taps; ++k)
          sum += weights.weight[static_cast<std::size_t>(i * weights.taps + k)];
        CHECK(sum == 16384);
      }
    }
  }
}

}  // namespace
}  // namespace letterpress
