#include "preprocess/augment/colour_kernels.h"
#include "preprocess/augment/registry.h"

namespace letterpress {
namespace {

// qqwweee/keras-yolo3 (MIT), get_random_data, draws and applies these.
class HsvJitter final : public Augmentation {
 public:
  HsvJitter(double hue, double saturation, double value)
      : hue_(hue), saturation_(saturation), value_(value) {}

  std::span<const std::string_view> drawn_names() const noexcept override {
    static constexpr std::string_view kNames[] = {"hue", "saturation", "value"};
    return kNames;
  }
  void draw(RandomEngine& engine, std::span<float> drawn) const noexcept override {
    drawn[0] = engine.uniform(-hue_, hue_);
    drawn[1] = engine.factor(saturation_);
    drawn[2] = engine.factor(value_);
  }
  void colour(std::span<const float> drawn, FrameImage image) const override {
    colour_kernels().shift_hsv(image.rgb.data(), image.rgb.size() / 3, drawn[0], drawn[1],
                               drawn[2]);
  }

 private:
  double hue_, saturation_, value_;
};

}  // namespace

constinit const AugmentationEntry kHsv{
    "hsv", "shifts the hue, and multiplies or divides saturation and value",
    [](Parameters& parameters) -> std::unique_ptr<Augmentation> {
      const double hue = parameters.get(
          {"hue", 0.1, 0, 0.5, "largest shift either way, turns of the colour wheel"});
      const double saturation =
          parameters.get({"saturation", 1.5, 1, 10, "largest factor or divisor"});
      return std::make_unique<HsvJitter>(
          hue, saturation, parameters.get({"value", 1.5, 1, 10, "largest factor or divisor"}));
    }};

}  // namespace letterpress
