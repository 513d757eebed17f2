#include "preprocess/augment/portable_math.h"

#include <doctest/doctest.h>

#include <cmath>

namespace letterpress {
namespace {

TEST_CASE("sine and cosine agree with libm to 1e-12 and are exact at quarter turns") {
  constexpr double kRadians = 3.14159265358979323846 / 180;
  for (double degrees = -400; degrees <= 400; degrees += 0.37) {
    CHECK(std::abs(portable_sine(degrees) - std::sin(degrees * kRadians)) < 1e-12);
    CHECK(std::abs(portable_cosine(degrees) - std::cos(degrees * kRadians)) < 1e-12);
  }
  for (int quarters = -8; quarters <= 8; ++quarters) {
    const double wanted[] = {0, 1, 0, -1};
    CHECK(portable_sine(90.0 * quarters) == wanted[quarters & 3]);
    CHECK(portable_cosine(90.0 * quarters) == wanted[(quarters + 1) & 3]);
  }
}

TEST_CASE("exponential and power agree with libm to 1e-9") {
  for (double x = -50; x <= 0; x += 0.173)
    CHECK(portable_exponential(x) == doctest::Approx(std::exp(x)).epsilon(1e-9));
  for (int v = 0; v < 256; v += 3) {
    for (double exponent = 0; exponent <= 16; exponent += 1021 / 65536.0)
      CHECK(std::abs(portable_power(v / 255.0, exponent) - std::pow(v / 255.0, exponent)) < 1e-9);
  }
  CHECK(portable_power(0.7, 1) == 0.7);
  CHECK(portable_power(0.7, 0) == 1);
}

}  // namespace
}  // namespace letterpress
