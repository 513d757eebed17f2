#include "preprocess/augment/portable_math.h"

#include <cmath>
#include <cstdint>

namespace letterpress {
namespace {

constexpr double kRadians = 3.14159265358979323846 / 180;

// Taylor's series, |x| <= pi / 4: the first omitted term is below 1e-14.
double small_sine(double x) {
  double term = x, sum = x;
  for (int n = 2; n <= 12; n += 2) sum += term *= -x * x / (n * (n + 1));
  return sum;
}

double small_cosine(double x) {
  double term = 1, sum = 1;
  for (int n = 1; n <= 13; n += 2) sum += term *= -x * x / (n * (n + 1));
  return sum;
}

}  // namespace

double portable_sine(double degrees) noexcept {
  const double quarters = std::floor(degrees / 90 + 0.5),
               rest = (degrees - 90 * quarters) * kRadians;
  switch (static_cast<std::int64_t>(quarters) & 3) {
    case 0:
      return small_sine(rest);
    case 1:
      return small_cosine(rest);
    case 2:
      return -small_sine(rest);
    default:
      return -small_cosine(rest);
  }
}

double portable_cosine(double degrees) noexcept { return portable_sine(degrees + 90); }

double portable_exponential(double x) noexcept {
  constexpr int kHalvings = 10;
  x /= 1 << kHalvings;
  double term = 1, sum = 1;
  for (int n = 1; n <= 8; ++n) sum += term *= x / n;
  for (int i = 0; i < kHalvings; ++i) sum *= sum;
  return sum;
}

double portable_power(double base, double exponent) noexcept {
  constexpr std::uint32_t kOne = 65536;
  const auto steps = static_cast<std::uint32_t>(exponent * kOne + 0.5);
  double result = 1, root = base;
  for (std::uint32_t i = steps / kOne; i > 0; --i) result *= base;
  for (std::uint32_t bit = kOne / 2; bit > 0; bit /= 2) {
    root = std::sqrt(root);
    if (steps & bit) result *= root;
  }
  return result;
}

}  // namespace letterpress
