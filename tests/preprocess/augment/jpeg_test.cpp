#include <doctest/doctest.h>

#include <cmath>

#include "letterpress/base/error.h"
#include "tests/preprocess/augment/make_augmentation.h"
#include "tests/preprocess/golden.h"

namespace letterpress {
namespace {

std::vector<std::uint8_t> photo() {
  std::vector<std::uint8_t> rgb(64 * 64 * 3);
  for (std::size_t i = 0; i < rgb.size(); ++i) {
    const double x = static_cast<double>(i / 3 % 64), y = static_cast<double>(i / 192),
                 wave = std::sin(x / 3 + y / 5 + static_cast<double>(i % 3));
    rgb[i] = static_cast<std::uint8_t>(128 + 100 * wave);
  }
  return rgb;
}

TEST_CASE("lower qualities change more, and 0 changes nothing") {
  const auto jpeg = make("jpeg");
  double last = 0.01;
  CHECK(coloured(*jpeg, {0}, photo(), 64) == photo());
  for (const float quality : {98.0f, 60.0f, 20.0f, 3.0f}) {
    CAPTURE(quality);
    const auto original = photo();
    const double changed =
        difference(coloured(*jpeg, {quality}, photo(), 64), std::as_bytes(std::span(original)))
            .mean;
    CHECK(changed > last);
    last = changed;
  }
}

TEST_CASE("drawn qualities are whole numbers in the range") {
  const auto jpeg = make("jpeg", {{"quality_low", 50}, {"quality_high", 52}, {"chance", 1}});
  bool seen[3] = {};
  for (std::int32_t view = 1; view <= 60; ++view) {
    const float quality = drawn_by(*jpeg, view)[0];
    REQUIRE(quality >= 50);
    REQUIRE(quality <= 52);
    CHECK(quality == std::floor(quality));
    seen[static_cast<int>(quality) - 50] = true;
  }
  CHECK((seen[0] && seen[1] && seen[2]));
  CHECK_THROWS_WITH_AS(make("jpeg", {{"quality_low", 0}}),
                       "mine.toml: augment 1 (jpeg): quality_low is 0, must be 1..100", Error);
}

}  // namespace
}  // namespace letterpress
