#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "preprocess/augment/portable_math.h"
#include "preprocess/augment/registry.h"

namespace letterpress {
namespace {

constexpr double kLargestSigma = 20;
constexpr int kWeightBits = 14;

/// Half of a symmetric kernel in 1/16384: weight[0] is in the middle, the whole kernel has the sum
/// one.
struct HalfKernel {
  int radius = 0;
  std::array<std::int32_t, static_cast<std::size_t>(3 * kLargestSigma) + 1> weight{};
};

HalfKernel gaussian(double sigma) {
  HalfKernel kernel{std::max(1, static_cast<int>(std::ceil(3 * sigma))), {}};
  std::array<double, 61> exact{};
  double total = 0;
  for (int k = 0; k <= kernel.radius; ++k) {
    exact[static_cast<std::size_t>(k)] = portable_exponential(-k * k / (2 * sigma * sigma));
    total += exact[static_cast<std::size_t>(k)] * (k == 0 ? 1 : 2);
  }
  std::int32_t sum = 0;
  for (std::size_t k = 1; k <= static_cast<std::size_t>(kernel.radius); ++k) {
    kernel.weight[k] = static_cast<std::int32_t>(exact[k] / total * (1 << kWeightBits) + 0.5);
    sum += 2 * kernel.weight[k];
  }
  kernel.weight[0] = (1 << kWeightBits) - sum;
  return kernel;
}

// out[i] <- the kernel over in[i - k * step] and in[i + k * step], i < n; all of these must be
// readable.
void convolve(const std::uint8_t* in, std::ptrdiff_t step, std::ptrdiff_t n,
              const HalfKernel& kernel, std::uint8_t* out) {
  constexpr std::ptrdiff_t kBlock = 256;
  std::array<std::int32_t, kBlock> sum;
  for (std::ptrdiff_t first = 0; first < n; first += kBlock) {
    const std::ptrdiff_t count = std::min(kBlock, n - first);
    const std::uint8_t* const middle = in + first;
    for (std::ptrdiff_t i = 0; i < count; ++i)
      sum[static_cast<std::size_t>(i)] = (1 << (kWeightBits - 1)) + kernel.weight[0] * middle[i];
    for (int k = 1; k <= kernel.radius; ++k) {
      const std::int32_t weight = kernel.weight[static_cast<std::size_t>(k)];
      const std::uint8_t *const before = middle - k * step, *const after = middle + k * step;
      for (std::ptrdiff_t i = 0; i < count; ++i)
        sum[static_cast<std::size_t>(i)] += weight * (before[i] + after[i]);
    }
    for (std::ptrdiff_t i = 0; i < count; ++i)
      out[first + i] = static_cast<std::uint8_t>(sum[static_cast<std::size_t>(i)] >> kWeightBits);
  }
}

// Blurs each line, its ends repeated on both sides, then all columns at once. scratch: the frame
// with a border of `radius` lines above and below.
void blur(FrameImage image, const HalfKernel& kernel) {
  const std::ptrdiff_t line = 3 * static_cast<std::ptrdiff_t>(image.side),
                       border = 3 * static_cast<std::ptrdiff_t>(kernel.radius);
  const std::ptrdiff_t lines = image.side + 2 * kernel.radius;
  image.scratch.resize(static_cast<std::size_t>(lines * line + line + 2 * border));
  std::uint8_t *const tall = image.scratch.data(), *const wide = tall + lines * line;
  for (int y = 0; y < image.side; ++y) {
    const std::uint8_t* const in = image.rgb.data() + y * line;
    for (std::ptrdiff_t x = 0; x < border; ++x) {
      wide[x] = in[x % 3];
      wide[border + line + x] = in[line - 3 + x % 3];
    }
    std::memcpy(wide + border, in, static_cast<std::size_t>(line));
    convolve(wide + border, 3, line, kernel, tall + (y + kernel.radius) * line);
  }
  for (int y = 0; y < kernel.radius; ++y) {
    std::memcpy(tall + y * line, tall + kernel.radius * line, static_cast<std::size_t>(line));
    std::memcpy(tall + (lines - 1 - y) * line, tall + (lines - 1 - kernel.radius) * line,
                static_cast<std::size_t>(line));
  }
  convolve(tall + kernel.radius * line, line, image.side * line, kernel, image.rgb.data());
}

class Blur final : public Augmentation {
 public:
  Blur(double sigma, double chance) : sigma_(sigma), chance_(chance) {}

  std::span<const std::string_view> drawn_names() const noexcept override {
    static constexpr std::string_view kNames[] = {"sigma"};
    return kNames;
  }
  void draw(RandomEngine& engine, std::span<float> drawn) const noexcept override {
    const bool blurred = engine.coin(chance_);
    const float sigma = engine.uniform(0, sigma_);
    drawn[0] = blurred ? sigma : 0.0f;
  }
  void colour(std::span<const float> drawn, FrameImage image) const override {
    constexpr double kNothing = 0.15;  // the neighbours' weight rounds to 0
    if (drawn[0] > kNothing) blur(image, gaussian(drawn[0]));
  }

 private:
  double sigma_, chance_;
};

}  // namespace

constinit const AugmentationEntry kBlur{
    "blur", "blurs by a Gaussian", [](Parameters& parameters) -> std::unique_ptr<Augmentation> {
      const double sigma =
          parameters.get({"sigma", 1.5, 0, kLargestSigma, "largest sigma, pixels of the frame"});
      return std::make_unique<Blur>(sigma, parameters.get({"chance", 0.5, 0, 1, "how often"}));
    }};

}  // namespace letterpress
