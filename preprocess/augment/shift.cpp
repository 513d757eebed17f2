#include <cmath>

#include "preprocess/augment/registry.h"

namespace letterpress {
namespace {

class Shift final : public Augmentation {
 public:
  explicit Shift(double share) : share_(share) {}

  std::span<const std::string_view> drawn_names() const noexcept override {
    static constexpr std::string_view kNames[] = {"x", "y"};
    return kNames;
  }
  void draw(RandomEngine& engine, std::span<float> drawn) const noexcept override {
    for (float& value : drawn) value = engine.uniform(-share_, share_);
  }
  void place(std::span<const float> drawn, ViewFrame& frame) const noexcept override {
    const auto pixels = [&](float value) {
      return std::nearbyint(static_cast<double>(value) * frame.side);
    };
    frame.source_to_frame =
        Affine{{1, 0, pixels(drawn[0]), 0, 1, pixels(drawn[1])}} * frame.source_to_frame;
  }

 private:
  double share_;  // frames
};

}  // namespace

constinit const AugmentationEntry kShift{
    "shift",
    "shifts by whole pixels of the frame: unlike affine's, it does not blur pictures that are as "
    "small as the frame",
    [](Parameters& parameters) -> std::unique_ptr<Augmentation> {
      return std::make_unique<Shift>(
          parameters.get({"share", 0.1, 0, 1, "largest shift either way, frames"}));
    },
    AugmentationEntry::Moves::after};

}  // namespace letterpress
