#include "preprocess/augment/registry.h"

namespace letterpress {
namespace {

class QuarterTurn final : public Augmentation {
 public:
  explicit QuarterTurn(double chance) : chance_(chance) {}

  std::span<const std::string_view> drawn_names() const noexcept override {
    static constexpr std::string_view kNames[] = {"quarters"};
    return kNames;
  }
  void draw(RandomEngine& engine, std::span<float> drawn) const noexcept override {
    const bool turned = engine.coin(chance_);
    const std::uint32_t quarters = 1 + engine.next() % 3;
    drawn[0] = turned ? static_cast<float>(quarters) : 0.0f;
  }
  void place(std::span<const float> drawn, ViewFrame& frame) const noexcept override {
    const Affine clockwise{{0, -1, static_cast<double>(frame.side), 1, 0, 0}};
    for (int i = 0; i < static_cast<int>(drawn[0]); ++i)
      frame.source_to_frame = clockwise * frame.source_to_frame;
  }

 private:
  double chance_;
};

}  // namespace

constinit const AugmentationEntry kTurn90{
    "turn90", "turns the frame clockwise by 90, 180 or 270 degrees",
    [](Parameters& parameters) -> std::unique_ptr<Augmentation> {
      return std::make_unique<QuarterTurn>(parameters.get(
          {"chance", 0.75, 0, 1, "how often; 0.75: all four directions equally often"}));
    },
    AugmentationEntry::Moves::after};

}  // namespace letterpress
