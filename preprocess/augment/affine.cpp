#include <algorithm>

#include "preprocess/augment/portable_math.h"
#include "preprocess/augment/registry.h"

namespace letterpress {
namespace {

struct AffineRange {
  double scale_low, scale_high;
  double shift;            // frames
  double rotation, shear;  // degrees
};

class AffineJitter final : public Augmentation {
 public:
  explicit AffineJitter(const AffineRange& range) : range_(range) {}

  std::span<const std::string_view> drawn_names() const noexcept override {
    static constexpr std::string_view kNames[] = {"scale",    "x",       "y",
                                                  "rotation", "shear_x", "shear_y"};
    return kNames;
  }
  void draw(RandomEngine& engine, std::span<float> drawn) const noexcept override {
    drawn[0] = engine.uniform(range_.scale_low, range_.scale_high);
    for (std::size_t i : {1, 2}) drawn[i] = engine.uniform(-range_.shift, range_.shift);
    drawn[3] = engine.uniform(-range_.rotation, range_.rotation);
    for (std::size_t i : {4, 5}) drawn[i] = engine.uniform(-range_.shear, range_.shear);
  }
  void place(std::span<const float> drawn, ViewFrame& frame) const noexcept override {
    const double centre = frame.side / 2.0, scale = drawn[0];
    const double cosine = scale * portable_cosine(drawn[3]), sine = scale * portable_sine(drawn[3]);
    const Affine to_centre{{1, 0, -centre, 0, 1, -centre}};
    const Affine sheared{{1, tangent(drawn[4]), 0, tangent(drawn[5]), 1, 0}};
    const double x = static_cast<double>(drawn[1]) * frame.side,
                 y = static_cast<double>(drawn[2]) * frame.side;
    const Affine turned{{cosine, -sine, centre + x, sine, cosine, centre + y}};
    frame.source_to_frame = turned * sheared * to_centre * frame.source_to_frame;
  }
  double largest_zoom(std::int32_t, std::int32_t) const noexcept override {
    return std::max(1.0, range_.scale_high * (1 + tangent(range_.shear)));
  }

 private:
  static double tangent(double degrees) noexcept {
    return portable_sine(degrees) / portable_cosine(degrees);
  }

  AffineRange range_;
};

}  // namespace

constinit const AugmentationEntry kAffine{
    "affine",
    "scales, shifts, turns and shears about the frame's centre; a box is the rectangle around "
    "what the frame shows of the moved one",
    [](Parameters& parameters) -> std::unique_ptr<Augmentation> {
      const auto [low, high] = parameters.get_range({"scale_low", 0.5, 0.05, 10, "smallest scale"},
                                                    {"scale_high", 1.5, 0.05, 10, "largest scale"});
      const double shift = parameters.get({"shift", 0.1, 0, 1, "largest shift either way, frames"});
      const double rotation =
          parameters.get({"rotation", 0, 0, 180, "largest turn either way, degrees"});
      const double shear =
          parameters.get({"shear", 0, 0, 40, "largest shear either way along each axis, degrees"});
      return std::make_unique<AffineJitter>(AffineRange{low, high, shift, rotation, shear});
    },
    AugmentationEntry::Moves::after};

}  // namespace letterpress
