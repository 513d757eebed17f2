#include <algorithm>
#include <array>

#include "preprocess/augment/portable_math.h"
#include "preprocess/augment/registry.h"

namespace letterpress {
namespace {

class ToneJitter final : public Augmentation {
 public:
  ToneJitter(double brightness, double contrast, double gamma)
      : brightness_(brightness), contrast_(contrast), gamma_(gamma) {}

  std::span<const std::string_view> drawn_names() const noexcept override {
    static constexpr std::string_view kNames[] = {"brightness", "contrast", "gamma"};
    return kNames;
  }
  void draw(RandomEngine& engine, std::span<float> drawn) const noexcept override {
    drawn[0] = engine.uniform(-brightness_, brightness_);
    drawn[1] = engine.factor(contrast_);
    drawn[2] = engine.factor(gamma_);
  }
  // With v in 0..1: (v^gamma - 1/2) * contrast + 1/2 + brightness, clipped, rounded to nearest. One
  // table serves the three channels.
  void colour(std::span<const float> drawn, FrameImage image) const override {
    std::array<std::uint8_t, 256> table;
    for (int v = 0; v < 256; ++v) {
      const double level = (portable_power(v / 255.0, drawn[2]) - 0.5) * drawn[1] + 0.5 + drawn[0];
      table[static_cast<std::size_t>(v)] =
          static_cast<std::uint8_t>(std::clamp(level, 0.0, 1.0) * 255 + 0.5);
    }
    for (std::uint8_t& value : image.rgb) value = table[value];
  }

 private:
  double brightness_, contrast_, gamma_;
};

}  // namespace

constinit const AugmentationEntry kTone{
    "tone", "changes brightness, contrast (about middle grey) and gamma",
    [](Parameters& parameters) -> std::unique_ptr<Augmentation> {
      const double brightness = parameters.get(
          {"brightness", 0.1, 0, 1, "largest addition either way, of the full range"});
      const double contrast = parameters.get({"contrast", 1.2, 1, 10, "largest factor or divisor"});
      return std::make_unique<ToneJitter>(
          brightness, contrast,
          parameters.get({"gamma", 1.2, 1, 5, "largest exponent or its inverse"}));
    }};

}  // namespace letterpress
