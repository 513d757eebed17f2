#include "letterpress/page/svg.h"

#include <fmt/format.h>

#include "letterpress/base/class_colour.h"
#include "letterpress/page/html.h"

namespace letterpress {

std::string open_svg(int width, int height, const std::string& title) {
  return "<svg viewBox=\"0 0 " + std::to_string(width) + " " + std::to_string(height) +
         "\" role=\"img\" aria-label=\"" + escaped(title) + "\">\n";
}

std::string svg_text(double x, double y, const std::string& style, const std::string& words) {
  return "<text x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\" class=\"" + style + "\">" +
         escaped(words) + "</text>\n";
}

std::string hex_colour(int class_id) {
  const auto [red, green, blue] = class_colour(class_id);
  return fmt::format("#{:02x}{:02x}{:02x}", red, green, blue);
}

}  // namespace letterpress
