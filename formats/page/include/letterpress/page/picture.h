#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace letterpress {

/// A box on a picture of the page.
struct PageBox {
  std::array<float, 4> corners{};  ///< x1 y1 x2 y2, pixels of the picture
  int colour = 0;                  ///< 0 or more; there are six, in turn
  std::string name{};              ///< written beside it
  bool found = false;              ///< dashed: a model found it, it is not a label
};

/// <svg> of a picture, embedded as a PNG of at most 320 pixels a side if the side can be halved to
/// that, with the boxes drawn over it. Goes into a <div class="samples">.
///   rgb  uint8 [side, side, 3]
std::string picture_svg(std::span<const std::uint8_t> rgb, int side,
                        const std::vector<PageBox>& boxes);

}  // namespace letterpress
