#include "preprocess/augment/registry.h"
#include "preprocess/pictures/jpeg_round_trip.h"

namespace letterpress {
namespace {

class JpegArtefacts final : public Augmentation {
 public:
  JpegArtefacts(double low, double high, double chance)
      : low_(static_cast<std::uint32_t>(low)),
        high_(static_cast<std::uint32_t>(high)),
        chance_(chance) {}

  std::span<const std::string_view> drawn_names() const noexcept override {
    static constexpr std::string_view kNames[] = {"quality"};
    return kNames;
  }
  void draw(RandomEngine& engine, std::span<float> drawn) const noexcept override {
    const bool stored = engine.coin(chance_);
    const std::uint32_t quality = low_ + engine.next() % (high_ - low_ + 1);
    drawn[0] = stored ? static_cast<float>(quality) : 0.0f;
  }
  void colour(std::span<const float> drawn, FrameImage image) const override {
    if (drawn[0] != 0)
      jpeg_round_trip(image.rgb, image.side, static_cast<int>(drawn[0]), image.scratch);
  }

 private:
  std::uint32_t low_, high_;
  double chance_;
};

}  // namespace

constinit const AugmentationEntry kJpeg{
    "jpeg", "encodes the frame as JPEG (4:2:0) and decodes it again: blocks and ringing",
    [](Parameters& parameters) -> std::unique_ptr<Augmentation> {
      const auto [low, high] =
          parameters.get_range({"quality_low", 40, 1, 100, "lowest quality, rounded down"},
                               {"quality_high", 95, 1, 100, "highest quality, rounded down"});
      return std::make_unique<JpegArtefacts>(low, high,
                                             parameters.get({"chance", 0.5, 0, 1, "how often"}));
    }};

}  // namespace letterpress
