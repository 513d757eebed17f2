#include <algorithm>
#include <cmath>

#include "preprocess/recipe/resample.h"
#include "preprocess/recipe/resample_kernels.h"

namespace letterpress {
namespace {

constexpr int kOne = 1 << kWeightBits;
constexpr double kShrinkOfPlainLinear = 1.5;

double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }

// Keys 1981, a = -0.5.
double cubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

struct Kernel {
  double (*at)(double);
  double widening;  // source pixels per unit of the kernel's argument
  double radius;    // source pixels
};

Kernel kernel_for(LetterboxRule::Resize resize, double scale) {
  const double shrink = std::max(1.0, 1 / std::abs(scale));
  if (resize == LetterboxRule::Resize::cubic) return {cubic, shrink, 2 * shrink};
  const double widening = shrink > kShrinkOfPlainLinear ? shrink : 1;
  return {triangle, widening, widening};
}

// The weights of one frame pixel, in whole 1/16384 that sum up to one: what rounding leaves over goes to the largest.
void round_weights(const std::vector<double>& exact, int n, std::int16_t* weight) {
  double total = 0;
  for (int k = 0; k < n; ++k) total += exact[static_cast<std::size_t>(k)];
  int sum = 0, largest = 0;
  for (int k = 0; k < n; ++k) {
    const int rounded = static_cast<int>(std::floor(exact[static_cast<std::size_t>(k)] / total * kOne + 0.5));
    weight[k] = static_cast<std::int16_t>(rounded);
    sum += rounded;
    if (rounded > weight[largest]) largest = k;
  }
  weight[largest] = static_cast<std::int16_t>(weight[largest] + kOne - sum);
}

}  // namespace

void compute_weights(const AxisMap& map, LetterboxRule::Resize resize, AxisWeights& weights) {
  const Kernel kernel = kernel_for(resize, map.scale);
  const auto source_at = [&](int i) { return (i + 0.5 - map.offset) / map.scale; };
  const auto inside = [&](int i) { return source_at(i) >= 0 && source_at(i) < map.source_size; };
  weights.first = 0;
  while (weights.first < map.frame_size && !inside(weights.first)) ++weights.first;
  int end = weights.first;
  while (end < map.frame_size && inside(end)) ++end;
  weights.count = end - weights.first;
  weights.taps = (static_cast<int>(std::ceil(2 * kernel.radius)) + 1) / 2 * 2;
  weights.start.assign(static_cast<std::size_t>(weights.count), 0);
  weights.weight.assign(static_cast<std::size_t>(weights.count) * static_cast<std::size_t>(weights.taps), 0);

  thread_local std::vector<double> exact;
  exact.resize(static_cast<std::size_t>(weights.taps));
  for (int i = 0; i < weights.count; ++i) {
    const double centre = source_at(weights.first + i);
    const int low = std::max(0, static_cast<int>(std::floor(centre - kernel.radius + 0.5)));
    const int high = std::min(map.source_size, static_cast<int>(std::floor(centre + kernel.radius + 0.5)));
    const int n = std::min(high - low, weights.taps);
    for (int k = 0; k < n; ++k) exact[static_cast<std::size_t>(k)] = kernel.at((low + k + 0.5 - centre) / kernel.widening);
    weights.start[static_cast<std::size_t>(i)] = low;
    round_weights(exact, n, weights.weight.data() + static_cast<std::ptrdiff_t>(i) * weights.taps);
  }
}

}  // namespace letterpress
