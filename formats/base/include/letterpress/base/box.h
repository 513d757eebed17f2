#pragma once
#include <cstdint>
#include <vector>

namespace letterpress {

/// Bits of LabelBox::flags and of /box_flags.
enum BoxFlag : std::uint8_t { kCrowd = 1, kDifficult = 2, kCut = 4 };

/// A labelled bounding box. Pixel i covers [i, i+1), so a box over the whole picture is 0 0 width
/// height.
struct LabelBox {
  float x1 = 0, y1 = 0, x2 = 0, y2 = 0;  ///< pixels, or 0..1 where the owner says so
  std::int32_t class_id = -1;            ///< index into the owner's class names
  std::uint8_t flags = 0;                ///< BoxFlag bits
  float area = -1;  ///< source pixels as the format states it (COCO); < 0: width * height

  bool operator==(const LabelBox&) const = default;
};

}  // namespace letterpress
