#include <algorithm>
#include <cmath>
#include <span>

#include "preprocess/recipe/resample.h"
#include "preprocess/recipe/resample_kernels.h"

namespace letterpress {
namespace {

constexpr int kOne = 1 << kWeightBits;

double source_at(const AxisMap& map, int i) { return (i + 0.5 - map.offset) / map.scale; }

struct Triangle {
  static constexpr double kRadius = 1;
  double operator()(double x) const { return std::max(0.0, 1 - std::abs(x)); }
};

// Keys 1981, a = -0.5.
struct Cubic {
  static constexpr double kRadius = 2;
  double operator()(double x) const {
    constexpr double a = -0.5;
    x = std::abs(x);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
    return 0;
  }
};

// The nearest whole number, |x| < 2^20. The cast rounds to zero, so x is made positive for it.
int nearest(double x) { return static_cast<int>(x + ((1 << 20) + 0.5)) - (1 << 20); }

// The weights of one frame pixel, in whole 1/16384 with the sum one: the largest takes what
// rounding leaves over.
void round_weights(std::span<const double> exact, std::int16_t* weight) {
  double total = 0;
  for (const double value : exact) total += value;
  const double per_total = kOne / total;
  int sum = 0;
  std::size_t largest = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    const int rounded = nearest(exact[k] * per_total);
    weight[k] = static_cast<std::int16_t>(rounded);
    sum += rounded;
    if (rounded > weight[largest]) largest = k;
  }
  weight[largest] = static_cast<std::int16_t>(weight[largest] + kOne - sum);
}

// widening: source pixels per unit of the kernel's argument.
template <class Kernel>
void fill_weights(const AxisMap& map, double widening, AxisWeights& weights) {
  constexpr Kernel kernel;
  const double radius = Kernel::kRadius * widening, per_widening = 1 / widening;
  weights.taps = (static_cast<int>(std::ceil(2 * radius)) + 1) / 2 * 2;
  weights.start.assign(static_cast<std::size_t>(weights.count), 0);
  weights.weight.assign(
      static_cast<std::size_t>(weights.count) * static_cast<std::size_t>(weights.taps), 0);
  thread_local std::vector<double> exact;
  exact.resize(static_cast<std::size_t>(weights.taps));
  for (int i = 0; i < weights.count; ++i) {
    const double centre = source_at(map, weights.first + i);
    // The cast rounds down; below 0 the maximum is 0 anyway.
    const int low = std::max(0, static_cast<int>(centre - radius + 0.5));
    const int high = std::min(map.source_size, static_cast<int>(centre + radius + 0.5));
    const auto n = static_cast<std::size_t>(std::min(high - low, weights.taps));
    for (std::size_t k = 0; k < n; ++k)
      exact[k] = kernel((low + static_cast<int>(k) + 0.5 - centre) * per_widening);
    weights.start[static_cast<std::size_t>(i)] = low;
    round_weights(std::span(exact).first(n),
                  weights.weight.data() + static_cast<std::ptrdiff_t>(i) * weights.taps);
  }
}

}  // namespace

void compute_weights(const AxisMap& map, LetterboxRule::Resize resize, AxisWeights& weights) {
  if (weights.map == map && weights.resize == resize) return;
  weights.map = map;
  weights.resize = resize;
  weights.arranged.clear();
  const auto inside = [&](int i) {
    const double at = source_at(map, i);
    return at >= 0 && at < map.source_size;
  };
  weights.first = 0;
  while (weights.first < map.frame_size && !inside(weights.first)) ++weights.first;
  int end = weights.first;
  while (end < map.frame_size && inside(end)) ++end;
  weights.count = end - weights.first;
  const double shrink = std::max(1.0, 1 / std::abs(map.scale));
  if (resize == LetterboxRule::Resize::cubic) return fill_weights<Cubic>(map, shrink, weights);
  fill_weights<Triangle>(map, shrink > kShrinkOfPlainLinear ? shrink : 1, weights);
}

}  // namespace letterpress
