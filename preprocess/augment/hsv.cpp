#include "preprocess/augment/colour_kernels.h"
#include "preprocess/augment/registry.h"

namespace letterpress {
namespace {

// qqwweee/keras-yolo3 (MIT), get_random_data: the coin that turns a factor over comes before the factor.
float draw_factor(RandomEngine& engine, double largest) {
  const bool raised = engine.coin(0.5);
  const double factor = engine.uniform(1, largest);
  return raised ? round_drawn(factor) : round_drawn(1 / factor);
}

class HsvJitter final : public Augmentation {
 public:
  HsvJitter(double hue, double saturation, double value) : hue_(hue), saturation_(saturation), value_(value) {}

  std::span<const std::string_view> drawn_names() const noexcept override {
    static constexpr std::string_view kNames[] = {"hue", "saturation", "value"};
    return kNames;
  }
  void draw(RandomEngine& engine, std::span<float> drawn) const noexcept override {
    drawn[0] = engine.uniform(-hue_, hue_);
    drawn[1] = draw_factor(engine, saturation_);
    drawn[2] = draw_factor(engine, value_);
  }
  void colour(std::span<const float> drawn, FrameImage image) const noexcept override {
    colour_kernels().shift_hsv(image.rgb.data(), image.rgb.size() / 3, drawn[0], drawn[1], drawn[2]);
  }

 private:
  double hue_, saturation_, value_;
};

}  // namespace

constinit const AugmentationEntry kHsv{
    "hsv",
    "shift hue by up to +-hue turns (0..0.5, default 0.1), multiply or divide saturation and value by up to `saturation` and `value` "
    "(1..10, default 1.5)",
    [](Parameters& parameters) -> std::unique_ptr<Augmentation> {
      const double hue = parameters.get("hue", 0.1, 0, 0.5), saturation = parameters.get("saturation", 1.5, 1, 10);
      return std::make_unique<HsvJitter>(hue, saturation, parameters.get("value", 1.5, 1, 10));
    }};

}  // namespace letterpress
