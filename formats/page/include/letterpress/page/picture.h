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
  int class_id = 0;                ///< has its colour, see class_colour.h
  std::string name{};              ///< written beside it, or shown when it is pointed at
  bool found = false;              ///< dashed: a model found it, it is not a label
};

/// <svg> of a picture, embedded as a PNG of at most `most` pixels a side if the side can be halved
/// to that, with the boxes drawn over it. Names are written where they leave the picture to be
/// seen: not when there are more than kMostNames boxes. Goes into a <div class="samples">.
///   rgb  uint8 [side, side, 3]
inline constexpr std::size_t kMostNames = 10;
inline constexpr int kMostPixels = 320;  ///< so that a page with a dozen of them has a few MiB
std::string picture_svg(std::span<const std::uint8_t> rgb, int side,
                        const std::vector<PageBox>& boxes, int most = kMostPixels);

/// The names of classes beside their colours, in order of ids: the key of such pictures. At most
/// `most` of them, then how many there are.
std::string class_key(const std::vector<std::string>& classes, std::size_t most = 20);

}  // namespace letterpress
