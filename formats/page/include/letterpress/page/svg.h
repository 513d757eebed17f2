#pragma once
#include <string>

namespace letterpress {

/// Pieces of charts as inline SVG. They have the page's colours, so that they follow its light,
/// dark and print styles.

/// <svg>; the caller closes it. title: text, for readers who cannot see the chart.
std::string open_svg(int width, int height, const std::string& title);
/// style: classes of the page: "axis", "middle", "end", "count".
std::string svg_text(double x, double y, const std::string& style, const std::string& words);
/// class_colour() as CSS has it: "#ff3c3c".
std::string hex_colour(int class_id);

}  // namespace letterpress
