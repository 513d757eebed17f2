#include "preprocess/augment/registry.h"

namespace letterpress {
namespace {

template <bool kLeftToRight>
class Flip final : public Augmentation {
 public:
  explicit Flip(double chance) : chance_(chance) {}

  std::span<const std::string_view> drawn_names() const noexcept override {
    static constexpr std::string_view kNames[] = {"flip"};
    return kNames;
  }
  void draw(RandomEngine& engine, std::span<float> drawn) const noexcept override {
    drawn[0] = engine.coin(chance_) ? 1.0f : 0.0f;
  }
  void place(std::span<const float> drawn, ViewFrame& frame) const noexcept override {
    if (drawn[0] == 0) return;
    const double side = frame.side;
    const Affine mirrored =
        kLeftToRight ? Affine{{-1, 0, side, 0, 1, 0}} : Affine{{1, 0, 0, 0, -1, side}};
    frame.source_to_frame = mirrored * frame.source_to_frame;
  }

 private:
  double chance_;
};

template <bool kLeftToRight>
std::unique_ptr<Augmentation> make(Parameters& parameters) {
  return std::make_unique<Flip<kLeftToRight>>(parameters.get({"chance", 0.5, 0, 1, "how often"}));
}

}  // namespace

constinit const AugmentationEntry kHflip{"hflip", "mirrors the frame left to right", make<true>,
                                         AugmentationEntry::Moves::after};
constinit const AugmentationEntry kVflip{"vflip", "mirrors the frame top to bottom", make<false>,
                                         AugmentationEntry::Moves::after};

}  // namespace letterpress
