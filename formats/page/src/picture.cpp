#include "letterpress/page/picture.h"

#include "letterpress/page/html.h"
#include "letterpress/page/png.h"

namespace letterpress {
namespace {

// Per side of an embedded picture, so that a page with a dozen of them has a few MiB.
constexpr int kMostPixels = 320;
constexpr int kColours = 6;

// Mean of factor x factor pixels. rgb: uint8 [side, side, 3].
std::vector<std::uint8_t> shrunk(std::span<const std::uint8_t> rgb, int side, int factor) {
  const int small = side / factor;
  std::vector<std::uint8_t> result(static_cast<std::size_t>(small) *
                                   static_cast<std::size_t>(small) * 3);
  for (int y = 0; y < small; ++y) {
    for (int at = 0; at < small * 3; ++at) {
      int sum = 0;
      for (int k = 0; k < factor * factor; ++k) {
        const int row = y * factor + k / factor,
                  column = (at / 3 * factor + k % factor) * 3 + at % 3;
        sum += rgb[static_cast<std::size_t>(row * side * 3 + column)];
      }
      result[static_cast<std::size_t>(y * small * 3 + at)] =
          static_cast<std::uint8_t>((sum + factor * factor / 2) / (factor * factor));
    }
  }
  return result;
}

std::string embedded(std::span<const std::uint8_t> rgb, int side) {
  int factor = 1;
  while (side / factor > kMostPixels && side % (2 * factor) == 0) factor *= 2;
  const int small = side / factor;
  return png_uri(factor == 1 ? encode_png(rgb, small, small)
                             : encode_png(shrunk(rgb, side, factor), small, small));
}

std::string box_svg(const PageBox& box, int side) {
  const auto& [x1, y1, x2, y2] = box.corners;
  const std::string style = "b" + std::to_string(box.colour % kColours);
  std::string svg = "<rect x=\"" + fixed(x1, 1) + "\" y=\"" + fixed(y1, 1) + "\" width=\"" +
                    fixed(x2 - x1, 1) + "\" height=\"" + fixed(y2 - y1, 1) + "\" class=\"box " +
                    style + (box.found ? " found" : "") + "\"><title>" + escaped(box.name) + " " +
                    fixed(x2 - x1, 0) + " × " + fixed(y2 - y1, 0) + "</title></rect>";
  // The name of a found box is below it, so that it does not cover the label's.
  const double letters = side / 26.0, above = y1 >= letters ? y1 - letters / 5 : y1 + letters;
  const double below = y2 + letters <= side ? y2 + letters * 0.9 : y2 - letters / 5;
  return svg + "<text x=\"" + fixed(x1, 1) + "\" y=\"" + fixed(box.found ? below : above, 1) +
         "\" class=\"" + style + "\" font-size=\"" + fixed(letters, 1) + "\">" + escaped(box.name) +
         "</text>\n";
}

}  // namespace

std::string picture_svg(std::span<const std::uint8_t> rgb, int side,
                        const std::vector<PageBox>& boxes) {
  const std::string size = std::to_string(side);
  std::string svg = "<svg viewBox=\"0 0 " + size + " " + size + "\"><image width=\"" + size +
                    "\" height=\"" + size + "\" href=\"" + embedded(rgb, side) + "\"/>\n";
  for (const PageBox& box : boxes) svg += box_svg(box, side);
  return svg + "</svg>";
}

}  // namespace letterpress
