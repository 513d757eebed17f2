#include <algorithm>
#include <cmath>

#include "preprocess/augment/registry.h"

namespace letterpress {
namespace {

constexpr std::size_t kMostHoles = 8;

struct CutoutRange {
  double size_low, size_high;  // frames
  double chance;
  std::size_t holes;
  std::uint8_t fill;
};

// Cutout, arXiv:1708.04552: the labels stay as they are.
class Cutout final : public Augmentation {
 public:
  explicit Cutout(const CutoutRange& range) : range_(range) {}

  std::span<const std::string_view> drawn_names() const noexcept override {
    static constexpr std::string_view kNames[4 * kMostHoles] = {
        "x1", "y1", "width1", "height1", "x2", "y2", "width2", "height2",
        "x3", "y3", "width3", "height3", "x4", "y4", "width4", "height4",
        "x5", "y5", "width5", "height5", "x6", "y6", "width6", "height6",
        "x7", "y7", "width7", "height7", "x8", "y8", "width8", "height8"};
    return std::span(kNames).first(4 * range_.holes);
  }
  void draw(RandomEngine& engine, std::span<float> drawn) const noexcept override {
    const bool cut = engine.coin(range_.chance);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const bool place = i % 4 < 2;
      drawn[i] = place ? engine.uniform(0, 1) : engine.uniform(range_.size_low, range_.size_high);
      if (!place && !cut) drawn[i] = 0;
    }
  }
  void colour(std::span<const float> drawn, FrameImage image) const override {
    for (std::size_t i = 0; i < drawn.size(); i += 4) {
      const auto [left, right] = covered(drawn[i], drawn[i + 2], image.side);
      const auto [top, bottom] = covered(drawn[i + 1], drawn[i + 3], image.side);
      for (std::ptrdiff_t y = top; y < bottom; ++y) {
        const auto line = image.rgb.begin() + 3 * y * image.side;
        std::fill(line + 3 * left, line + 3 * right, range_.fill);
      }
    }
  }

 private:
  // Pixels [first, last) of a hole with this centre and size, both in frames.
  static std::pair<std::ptrdiff_t, std::ptrdiff_t> covered(double centre, double size, int side) {
    const auto pixel = [side](double at) {
      return static_cast<std::ptrdiff_t>(std::floor(std::clamp(at, 0.0, 1.0) * side + 0.5));
    };
    return {pixel(centre - size / 2), pixel(centre + size / 2)};
  }

  CutoutRange range_;
};

}  // namespace

constinit const AugmentationEntry kCutout{
    "cutout", "covers rectangles anywhere in the frame with grey; boxes stay",
    [](Parameters& parameters) -> std::unique_ptr<Augmentation> {
      const double holes = parameters.get({"holes", 1, 1, kMostHoles, "how many, rounded down"});
      const auto [low, high] =
          parameters.get_range({"size_low", 0.05, 0, 1, "smallest width and height, frames"},
                               {"size_high", 0.25, 0, 1, "largest width and height, frames"});
      const double chance = parameters.get({"chance", 0.5, 0, 1, "how often"});
      const double fill = parameters.get({"fill", 114, 0, 255, "grey level"});
      return std::make_unique<Cutout>(CutoutRange{
          low, high, chance, static_cast<std::size_t>(holes), static_cast<std::uint8_t>(fill)});
    }};

}  // namespace letterpress
