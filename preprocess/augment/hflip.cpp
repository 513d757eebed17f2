#include "preprocess/augment/registry.h"

namespace letterpress {
namespace {

class HorizontalFlip final : public Augmentation {
 public:
  explicit HorizontalFlip(double chance) : chance_(chance) {}

  std::span<const std::string_view> drawn_names() const noexcept override {
    static constexpr std::string_view kNames[] = {"flip"};
    return kNames;
  }
  void draw(RandomEngine& engine, std::span<float> drawn) const noexcept override {
    drawn[0] = engine.coin(chance_) ? 1.0f : 0.0f;
  }
  void place(std::span<const float> drawn, ViewFrame& frame) const noexcept override {
    const Affine mirrored{{-1, 0, static_cast<double>(frame.side), 0, 1, 0}};
    if (drawn[0] != 0) frame.source_to_frame = mirrored * frame.source_to_frame;
  }

 private:
  double chance_;
};

}  // namespace

constinit const AugmentationEntry kHflip{
    "hflip", "mirrors the frame left to right",
    [](Parameters& parameters) -> std::unique_ptr<Augmentation> {
      return std::make_unique<HorizontalFlip>(parameters.get({"chance", 0.5, 0, 1, "how often"}));
    }};

}  // namespace letterpress
