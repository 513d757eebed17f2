#include "preprocess/augment/registry.h"

namespace letterpress {
namespace {

// The finaliser of MurmurHash3 (Appleby, public domain): every bit of the index reaches every bit
// of the result.
std::uint32_t scrambled(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x85EBCA6Bu;
  x ^= x >> 13;
  x *= 0xC2B2AE35u;
  return x ^ x >> 16;
}

// The sum of four uniform bytes less its mean: nearly normal, with a standard deviation of sqrt(4 *
// (256^2 - 1) / 12).
std::int32_t bell(std::uint32_t bits) {
  return static_cast<std::int32_t>((bits & 255) + (bits >> 8 & 255) + (bits >> 16 & 255) +
                                   (bits >> 24)) -
         510;
}
constexpr double kBellDeviation = 147.79941;

class Noise final : public Augmentation {
 public:
  Noise(double sigma, double chance) : sigma_(sigma), chance_(chance) {}

  std::span<const std::string_view> drawn_names() const noexcept override {
    static constexpr std::string_view kNames[] = {"sigma", "seed"};
    return kNames;
  }
  void draw(RandomEngine& engine, std::span<float> drawn) const noexcept override {
    const bool noisy = engine.coin(chance_);
    const float sigma = engine.uniform(0, sigma_);
    drawn[0] = noisy ? sigma : 0.0f;
    drawn[1] = engine.uniform(0, 1);
  }
  void colour(std::span<const float> drawn, FrameImage image) const override {
    if (drawn[0] == 0) return;
    constexpr int kFraction = 12;
    const auto gain = static_cast<std::int32_t>(
        static_cast<double>(drawn[0]) / kBellDeviation * (1 << kFraction) + 0.5);
    const std::uint32_t key = scrambled(static_cast<std::uint32_t>(drawn[1] * 65536) + 1);
    for (std::size_t i = 0; i < image.rgb.size(); ++i) {
      const std::int32_t added =
          (bell(scrambled(static_cast<std::uint32_t>(i) * 0x9E3779B9u ^ key)) * gain +
           (1 << (kFraction - 1))) >>
          kFraction;
      const std::int32_t value = image.rgb[i] + added;
      image.rgb[i] = static_cast<std::uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
    }
  }

 private:
  double sigma_, chance_;
};

}  // namespace

constinit const AugmentationEntry kNoise{
    "noise", "adds normal noise, independent for each pixel and channel",
    [](Parameters& parameters) -> std::unique_ptr<Augmentation> {
      const double sigma =
          parameters.get({"sigma", 8, 0, 100, "largest standard deviation, grey levels of 255"});
      return std::make_unique<Noise>(sigma, parameters.get({"chance", 0.5, 0, 1, "how often"}));
    }};

}  // namespace letterpress
