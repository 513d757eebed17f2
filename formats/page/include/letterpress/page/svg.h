#pragma once
#include <string>

namespace letterpress {

/// Pieces of charts as inline SVG; colours are the page's, so that they follow its light, dark and
/// printed form.

/// <svg>, to be closed by who opened it. title: text, for who does not see it.
std::string open_svg(int width, int height, const std::string& title);
/// style: classes of the page: "axis", "middle", "end", "count".
std::string svg_text(double x, double y, const std::string& style, const std::string& words);

}  // namespace letterpress
