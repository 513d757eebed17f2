#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/outline.h"
#include "letterpress/annotations/annotations.h"
#include "letterpress/base/size_text.h"

namespace letterpress {
namespace {

constexpr float kClipTolerance = 1, kClipShare = 0.005f;  // pixels; of the side

// "181,329,181,329"
std::string corners(const LabelBox& box) {
  return fmt::format("{:.7g},{:.7g},{:.7g},{:.7g}", box.x1, box.y1, box.x2, box.y2);
}

bool swaps_sides(std::int32_t orientation) { return orientation >= 5 && orientation <= 8; }

// EXIF 2.32, tag 0x0112: a box of the stored picture in the displayed width x height frame.
LabelBox turned(LabelBox box, float width, float height, std::int32_t orientation) {
  const bool swaps = swaps_sides(orientation);
  const bool from_right =
      orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  const bool from_bottom =
      orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  if (swaps) {
    std::swap(box.x1, box.y1);
    std::swap(box.x2, box.y2);
  }
  if (from_right) box.x1 = width - std::exchange(box.x2, width - box.x1);
  if (from_bottom) box.y1 = height - std::exchange(box.y2, height - box.y1);
  for (auto& [x, y] : box.outline) {
    if (swaps) std::swap(x, y);
    if (from_right) x = static_cast<std::uint16_t>(kWholeSide - x);
    if (from_bottom) y = static_cast<std::uint16_t>(kWholeSide - y);
  }
  return box;
}

LabelBox denormalised(const LabelBox& box, std::int32_t width, std::int32_t height) {
  const double w = width, h = height;
  LabelBox result = box;
  result.x1 = static_cast<float>(box.x1 * w);
  result.y1 = static_cast<float>(box.y1 * h);
  result.x2 = static_cast<float>(box.x2 * w);
  result.y2 = static_cast<float>(box.y2 * h);
  if (box.area >= 0) result.area = static_cast<float>(box.area * w * h);
  return result;
}

Message outside(const char* what, const LabelBox& box, std::int32_t width, std::int32_t height) {
  return {.what = fmt::format("{} {} is wholly outside the {} picture", what, corners(box),
                              size_text(width, height)),
          .fix = "correct or remove it, or check that the labels belong to this picture"};
}

std::optional<Message> fault_of(const LabelBox& box, const Item& item, std::int32_t width,
                                std::int32_t height) {
  const auto w = static_cast<float>(width), h = static_cast<float>(height);
  if (!std::isfinite(box.x1 + box.y1 + box.x2 + box.y2))
    return Message{.what = "box " + corners(box) + " is not finite", .fix = "correct or remove it"};
  if (box.x2 < box.x1 || box.y2 < box.y1) {
    return Message{.what = "box " + corners(box) + " is inverted (x1 must be < x2, y1 < y2)",
                   .fix = "swap its corners or remove it"};
  }
  if (box.x1 == box.x2 || box.y1 == box.y2)
    return Message{.what = "box " + corners(box) + " has no area",
                   .fix = "draw it again or remove it"};
  if (annotations::is_line(box.outline))
    return Message{
        .what = "the polygon in box " + corners(box) + " has no area: its points are on a line",
        .fix = "draw it again or remove it"};
  if (box.x2 > 0 && box.y2 > 0 && box.x1 < w && box.y1 < h) return std::nullopt;
  Message fault = outside("box", box, width, height);
  if (item.normalised) {
    fault.what += ", it is outside 0..1";
    fault.fix = "are these pixels? divide by the image size";
  }
  return fault;
}

struct Clipped {
  std::optional<Message> fault{};  ///< an outline may be outside where the box around it is not
  bool much = false;               ///< more was cut off than rounding explains
};

Clipped clip(LabelBox& box, std::int32_t width, std::int32_t height) {
  const auto w = static_cast<float>(width), h = static_cast<float>(height);
  const float across = std::max(-box.x1, box.x2 - w), down = std::max(-box.y1, box.y2 - h);
  const LabelBox whole = across > 0 || down > 0 ? box : LabelBox{};
  box.x1 = std::max(box.x1, 0.0f);
  box.y1 = std::max(box.y1, 0.0f);
  box.x2 = std::min(box.x2, w);
  box.y2 = std::min(box.y2, h);
  Clipped clipped{.much = across > std::max(kClipTolerance, kClipShare * w) ||
                          down > std::max(kClipTolerance, kClipShare * h)};
  if (!annotations::cut_outline(whole, box))
    clipped.fault = outside("the polygon in box", whole, width, height);
  return clipped;
}

}  // namespace

std::optional<bool> are_before_turn(const Item& item, std::int32_t width, std::int32_t height,
                                    std::int32_t orientation) {
  const bool as_displayed = item.width == width && item.height == height;
  const bool as_stored = item.width == height && item.height == width;
  if (!swaps_sides(orientation) || as_displayed == as_stored) return std::nullopt;
  return as_stored;
}

CheckedBoxes check_boxes(const Item& item, std::int32_t width, std::int32_t height,
                         std::int32_t orientation, bool before_turn) {
  const bool turn =
      orientation > 1 && are_before_turn(item, width, height, orientation).value_or(before_turn);
  CheckedBoxes checked;
  checked.boxes.reserve(item.boxes.size());
  for (std::size_t i = 0; i < item.boxes.size(); ++i) {
    LabelBox box = item.boxes[i];
    if (item.normalised) {
      const bool swaps = turn && swaps_sides(orientation);
      box = swaps ? denormalised(box, height, width) : denormalised(box, width, height);
    }
    if (turn) box = turned(box, static_cast<float>(width), static_cast<float>(height), orientation);
    std::optional<Message> fault = fault_of(box, item, width, height);
    Clipped clipped = fault ? Clipped{} : clip(box, width, height);
    if (clipped.fault) fault = std::move(clipped.fault);
    if (fault) {
      checked.rejects.push_back({item.where + ", object " + std::to_string(i + 1), fault->what,
                                 fault->fix, Reject::Scope::box});
      checked.rejected.push_back(i + 1);
      continue;
    }
    checked.clipped += clipped.much;
    checked.boxes.push_back(box);
  }
  return checked;
}

}  // namespace letterpress
