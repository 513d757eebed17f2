#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace letterpress {

/// Bits of LabelBox::flags and of /box_flags.
enum BoxFlag : std::uint8_t { kCrowd = 1, kDifficult = 2, kCut = 4 };

/// A corner of an outline, as shares of its box's sides: 0 is x1 or y1, kWholeSide is x2 or y2.
struct OutlinePoint {
  std::uint16_t x = 0, y = 0;

  bool operator==(const OutlinePoint&) const = default;
};
constexpr std::uint16_t kWholeSide = 65535;
constexpr std::size_t kMaxOutlinePoints = 32;

/// A labelled bounding box. Pixel i covers [i, i+1), so a box over the whole picture is 0 0 width
/// height.
struct LabelBox {
  float x1 = 0, y1 = 0, x2 = 0, y2 = 0;  ///< pixels, or 0..1 where the owner says so
  std::int32_t class_id = -1;            ///< index into the owner's class names
  std::uint8_t flags = 0;                ///< BoxFlag bits
  float area = -1;  ///< source pixels as the format states it (COCO); < 0: width * height
  /// The object's own shape within the box, where its label has one: convex, at most
  /// kMaxOutlinePoints in order around it. Empty: not known. As shares it stays right when the box
  /// is moved or scaled. Labels have it, shards do not.
  std::vector<OutlinePoint> outline{};

  bool operator==(const LabelBox&) const = default;
};

}  // namespace letterpress
