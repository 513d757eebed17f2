#include <algorithm>

#include "preprocess/augment/registry.h"

namespace letterpress {
namespace {

struct JitterRange {
  double aspect, scale_low, scale_high;
};

// qqwweee/keras-yolo3 (MIT), get_random_data: jitters size, aspect and position of the picture. The
// aspect starts from the frame's, not from the picture's.
class PlaceJitter final : public Augmentation {
 public:
  explicit PlaceJitter(const JitterRange& range) : range_(range) {}

  std::span<const std::string_view> drawn_names() const noexcept override {
    static constexpr std::string_view kNames[] = {"aspect", "scale", "x", "y"};
    return kNames;
  }
  void draw(RandomEngine& engine, std::span<float> drawn) const noexcept override {
    const double numerator = engine.uniform(1 - range_.aspect, 1 + range_.aspect);
    drawn[0] = round_drawn(numerator / engine.uniform(1 - range_.aspect, 1 + range_.aspect));
    drawn[1] = engine.uniform(range_.scale_low, range_.scale_high);
    drawn[2] = engine.uniform(0, 1);
    drawn[3] = engine.uniform(0, 1);
  }
  void place(std::span<const float> drawn, ViewFrame& frame) const noexcept override {
    const double aspect = drawn[0], longer = static_cast<double>(drawn[1]) * frame.side;
    int width = static_cast<int>(longer), height = width;
    if (aspect < 1) {
      width = static_cast<int>(height * aspect);
    } else {
      height = static_cast<int>(width / aspect);
    }
    width = std::max(width, 1);
    height = std::max(height, 1);
    const double across = drawn[2], down = drawn[3];
    const int x = static_cast<int>(across * (frame.side - width)),
              y = static_cast<int>(down * (frame.side - height));
    frame.source_to_frame = {
        {static_cast<double>(width) / frame.source_width, 0, static_cast<double>(x), 0,
         static_cast<double>(height) / frame.source_height, static_cast<double>(y)}};
  }
  double largest_zoom(std::int32_t source_width,
                      std::int32_t source_height) const noexcept override {
    // Either side of the picture may become scale_high frames long; in the letterbox, its longer
    // side is one frame long.
    const auto [shorter, longer] = std::minmax(source_width, source_height);
    return std::max(1.0, range_.scale_high * longer / shorter);
  }

 private:
  JitterRange range_;
};

}  // namespace

constinit const AugmentationEntry kPlaceJitter{
    "place_jitter",
    "replaces the letterbox, as keras-yolo3 does: any size, the frame's aspect jittered, anywhere "
    "in "
    "the frame",
    [](Parameters& parameters) -> std::unique_ptr<Augmentation> {
      const double aspect = parameters.get(
          {"aspect", 0.3, 0, 0.9, "a: the frame's aspect times (1 +- a) / (1 +- a)"});
      const auto [low, high] =
          parameters.get_range({"scale_low", 0.25, 0.05, 10, "smallest longer side, frames"},
                               {"scale_high", 2, 0.05, 10, "largest longer side, frames"});
      return std::make_unique<PlaceJitter>(JitterRange{aspect, low, high});
    },
    AugmentationEntry::Moves::anew};

}  // namespace letterpress
