#include "letterpress/page/picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "letterpress/page/html.h"
#include "letterpress/page/png.h"
#include "letterpress/page/svg.h"

namespace letterpress {
namespace {

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

std::string embedded(std::span<const std::uint8_t> rgb, int side, int most) {
  int factor = 1;
  while (side / factor > most && side % (2 * factor) == 0) factor *= 2;
  const int small = side / factor;
  return png_uri(factor == 1 ? encode_png(rgb, small, small)
                             : encode_png(shrunk(rgb, side, factor), small, small));
}

std::string outline(const PageBox& box) {
  const auto& [x1, y1, x2, y2] = box.corners;
  return "<rect x=\"" + fixed(x1, 1) + "\" y=\"" + fixed(y1, 1) + "\" width=\"" +
         fixed(x2 - x1, 1) + "\" height=\"" + fixed(y2 - y1, 1) + "\" class=\"box" +
         (box.found ? " found" : "") + "\" stroke=\"" + hex_colour(box.class_id) + "\"><title>" +
         escaped(box.name) + " " + fixed(x2 - x1, 0) + " × " + fixed(y2 - y1, 0) +
         "</title></rect>\n";
}

// Above the box, within the picture; the name of a found box is below it, so that it does not cover
// the label's.
std::string name_of(const PageBox& box, int side) {
  const auto& [x1, y1, x2, y2] = box.corners;
  const double letters = side / 24.0, above = y1 >= letters ? y1 - letters / 5 : y1 + letters;
  const double below = y2 + letters <= side ? y2 + letters * 0.9 : y2 - letters / 5;
  const bool at_right = x1 > side * 0.7;
  return "<text x=\"" + fixed(at_right ? x2 : x1, 1) + "\" y=\"" +
         fixed(box.found ? below : above, 1) + "\"" + (at_right ? " class=\"end\"" : "") +
         " style=\"font-size:" + fixed(letters, 1) + "px;fill:" + hex_colour(box.class_id) + "\">" +
         escaped(box.name) + "</text>\n";
}

}  // namespace

std::string picture_svg(std::span<const std::uint8_t> rgb, int side,
                        const std::vector<PageBox>& boxes, int most) {
  const std::string size = std::to_string(side);
  std::string svg = "<svg viewBox=\"0 0 " + size + " " + size + "\"><image width=\"" + size +
                    "\" height=\"" + size + "\" href=\"" + embedded(rgb, side, most) + "\"/>\n";
  for (const PageBox& box : boxes) svg += outline(box);
  if (boxes.size() <= kMostNames) {
    for (const PageBox& box : boxes) svg += name_of(box, side);
  }
  return svg + "</svg>";
}

std::string class_key(const std::vector<std::string>& classes, std::size_t most) {
  std::string html = "<p>";
  for (std::size_t i = 0; i < std::min(most, classes.size()); ++i) {
    html +=
        "<span class=\"key\"><svg viewBox=\"0 0 12 12\"><rect width=\"12\" height=\"12\" "
        "rx=\"2\" style=\"fill:" +
        hex_colour(static_cast<int>(i)) + "\"/></svg>" + escaped(classes[i]) + "</span>";
  }
  if (classes.size() > most)
    html += "<span class=\"soft\">and " +
            grouped(static_cast<std::int64_t>(classes.size() - most)) + " more classes</span>";
  return html + "</p>\n";
}

}  // namespace letterpress
