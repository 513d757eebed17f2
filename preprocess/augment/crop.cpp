#include <algorithm>
#include <cmath>

#include "preprocess/augment/registry.h"

namespace letterpress {
namespace {

// Pixels of the frame.
struct Window {
  double left, top, right, bottom;
};

// The visible part of a source rectangle's bounding rectangle in the frame.
Window visible(const Affine& map, const LabelBox& box, double side) {
  Window window{side, side, 0, 0};
  for (const auto& [x, y] : {apply(map, box.x1, box.y1), apply(map, box.x2, box.y1),
                             apply(map, box.x1, box.y2), apply(map, box.x2, box.y2)}) {
    window = {std::min(window.left, x), std::min(window.top, y), std::max(window.right, x),
              std::max(window.bottom, y)};
  }
  return {std::max(window.left, 0.0), std::max(window.top, 0.0), std::min(window.right, side),
          std::min(window.bottom, side)};
}

// What must stay: all visible boxes, or the middle of the picture if there are none.
Window kept(const ViewFrame& frame, const Window& picture) {
  const double x = (picture.left + picture.right) / 2, y = (picture.top + picture.bottom) / 2;
  Window all{x, y, x, y};
  bool first = true;
  for (const LabelBox& box : frame.boxes) {
    const Window one = visible(frame.source_to_frame, box, frame.side);
    if (one.left >= one.right || one.top >= one.bottom) continue;
    if (first) all = one;
    first = false;
    all = {std::min(all.left, one.left), std::min(all.top, one.top), std::max(all.right, one.right),
           std::max(all.bottom, one.bottom)};
  }
  return all;
}

class BoxKeepingCrop final : public Augmentation {
 public:
  BoxKeepingCrop(double share, double zoom) : share_(share), zoom_(zoom) {}

  std::span<const std::string_view> drawn_names() const noexcept override {
    static constexpr std::string_view kNames[] = {"left", "top", "right", "bottom"};
    return kNames;
  }
  void draw(RandomEngine& engine, std::span<float> drawn) const noexcept override {
    for (float& value : drawn) value = engine.uniform(0, share_);
  }
  void place(std::span<const float> drawn, ViewFrame& frame) const noexcept override {
    if (std::all_of(drawn.begin(), drawn.end(), [](float share) { return share == 0; })) return;
    const LabelBox whole{0, 0, static_cast<float>(frame.source_width),
                         static_cast<float>(frame.source_height)};
    const Window picture = visible(frame.source_to_frame, whole, frame.side);
    if (picture.left >= picture.right || picture.top >= picture.bottom)
      return;  // nothing of the picture is in the frame
    const Window boxes = kept(frame, picture);
    const Window cut{picture.left + drawn[0] * (boxes.left - picture.left),
                     picture.top + drawn[1] * (boxes.top - picture.top),
                     picture.right - drawn[2] * (picture.right - boxes.right),
                     picture.bottom - drawn[3] * (picture.bottom - boxes.bottom)};
    // zoom_ is the limit: where it is reached, the frame shows more than the window.
    const double width = cut.right - cut.left, height = cut.bottom - cut.top;
    const double scale =
        std::min({frame.side / std::max(width, 1e-6), frame.side / std::max(height, 1e-6), zoom_});
    const double x = std::floor((frame.side - width * scale) / 2),
                 y = std::floor((frame.side - height * scale) / 2);
    frame.source_to_frame =
        Affine{{scale, 0, x - scale * cut.left, 0, scale, y - scale * cut.top}} *
        frame.source_to_frame;
  }
  double largest_zoom(std::int32_t, std::int32_t) const noexcept override { return zoom_; }

 private:
  double share_, zoom_;
};

}  // namespace

constinit const AugmentationEntry kCrop{
    "crop",
    "cuts off a part of the margin beside the boxes on each side and enlarges the rest; cuts no "
    "box",
    [](Parameters& parameters) -> std::unique_ptr<Augmentation> {
      const double share =
          parameters.get({"share", 0.8, 0, 1, "largest share of each margin to cut off"});
      return std::make_unique<BoxKeepingCrop>(
          share, parameters.get({"zoom", 2, 1, 10, "largest enlargement"}));
    },
    AugmentationEntry::Moves::after};

}  // namespace letterpress
