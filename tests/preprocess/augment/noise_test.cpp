#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/preprocess/augment/make_augmentation.h"

namespace letterpress {
namespace {

constexpr int kNoisySide = 128;
const std::vector<std::uint8_t> kMiddle(kNoisySide* kNoisySide * 3, 128);

TEST_CASE("noise has the mean 0 and the drawn deviation, and is nearly normal") {
  for (const float sigma : {1.0f, 8.0f, 20.0f}) {
    CAPTURE(sigma);
    const auto noisy = coloured(*make("noise"), {sigma, 0.25f}, kMiddle, kNoisySide);
    double sum = 0, squares = 0;
    int within = 0;
    for (const std::uint8_t value : noisy) {
      const double d = value - 128.0;
      sum += d;
      squares += d * d;
      within += std::abs(d) <= sigma;
    }
    const double n = static_cast<double>(noisy.size());
    CHECK(std::abs(sum / n) < 0.03 * sigma + 0.01);
    CHECK(std::sqrt(squares / n) == doctest::Approx(std::sqrt(sigma * sigma + 1 / 12.0))
                                        .epsilon(0.03));  // and the rounding's own
    if (sigma == 20) CHECK(within / n == doctest::Approx(0.683).epsilon(0.04));
  }
}

TEST_CASE("another seed gives other noise; neighbours and channels are independent") {
  const auto noise = make("noise");
  const auto first = coloured(*noise, {10, 0.5f}, kMiddle, kNoisySide),
             second = coloured(*noise, {10, 0.50001526f}, kMiddle, kNoisySide);
  CHECK(first == coloured(*noise, {10, 0.5f}, kMiddle, kNoisySide));
  const auto correlation = [](const std::vector<std::uint8_t>& a,
                              const std::vector<std::uint8_t>& b, std::size_t shift) {
    double sum = 0;
    for (std::size_t i = shift; i < a.size(); ++i) sum += (a[i] - 128.0) * (b[i - shift] - 128.0);
    return sum / static_cast<double>(a.size()) / 100;
  };
  CHECK(std::abs(correlation(first, second, 0)) < 0.02);
  for (const std::size_t shift : {1, 2, 3, 3 * kNoisySide})
    CHECK(std::abs(correlation(first, first, shift)) < 0.02);
}

TEST_CASE("noise is clipped at white, not wrapped, and sigma 0 adds none") {
  const std::vector<std::uint8_t> white(kNoisySide * kNoisySide * 3, 255);
  const auto noisy = coloured(*make("noise"), {20, 0}, white, kNoisySide);
  const auto kept = std::count(noisy.begin(), noisy.end(), 255);
  CHECK(static_cast<double>(kept) / static_cast<double>(white.size()) ==
        doctest::Approx(0.5).epsilon(0.04));
  CHECK(*std::min_element(noisy.begin(), noisy.end()) > 150);
  CHECK(coloured(*make("noise"), {0, 0.5f}, white, kNoisySide) == white);
}

}  // namespace
}  // namespace letterpress
