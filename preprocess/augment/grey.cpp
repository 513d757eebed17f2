#include "preprocess/augment/registry.h"

namespace letterpress {
namespace {

// ITU-R BT.601 luma in 1/65536, rounded.
std::uint8_t luma(const std::uint8_t* rgb) {
  return static_cast<std::uint8_t>((19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 32768u) >>
                                   16);
}

class Grey final : public Augmentation {
 public:
  explicit Grey(double chance) : chance_(chance) {}

  std::span<const std::string_view> drawn_names() const noexcept override {
    static constexpr std::string_view kNames[] = {"grey"};
    return kNames;
  }
  void draw(RandomEngine& engine, std::span<float> drawn) const noexcept override {
    drawn[0] = engine.coin(chance_) ? 1.0f : 0.0f;
  }
  void colour(std::span<const float> drawn, FrameImage image) const override {
    if (drawn[0] == 0) return;
    for (std::size_t i = 0; i + 2 < image.rgb.size(); i += 3)
      image.rgb[i] = image.rgb[i + 1] = image.rgb[i + 2] = luma(&image.rgb[i]);
  }

 private:
  double chance_;
};

}  // namespace

constinit const AugmentationEntry kGrey{
    "grey", "removes the colours (BT.601 luma in all three channels)",
    [](Parameters& parameters) -> std::unique_ptr<Augmentation> {
      return std::make_unique<Grey>(parameters.get({"chance", 0.1, 0, 1, "how often"}));
    }};

}  // namespace letterpress
