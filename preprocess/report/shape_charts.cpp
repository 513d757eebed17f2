#include "preprocess/report/shape_charts.h"

#include <cmath>

#include "letterpress/page/html.h"
#include "letterpress/page/svg.h"

namespace letterpress {
namespace {

constexpr int kPlot = 320, kLeft = 40, kBelow = 40, kAbove = 8, kRight = 8;
constexpr int kCell = kPlot / Density::kCells;

// Square roots, so that cells of a few are seen beside one of thousands.
std::string opacity(std::int64_t n, std::int64_t most) {
  return fixed(0.12 + 0.88 * std::sqrt(static_cast<double>(n) / static_cast<double>(most)), 2);
}

std::string cells(const DensityChart& chart, const Density& density) {
  std::string svg;
  const std::int64_t most = density.most();
  for (int i = 0; i < Density::kCells * Density::kCells; ++i) {
    const std::int64_t n = density.counts[static_cast<std::size_t>(i)];
    if (n == 0) continue;
    const int column = i % Density::kCells, row = i / Density::kCells;
    const int y = kAbove + kCell * (chart.upwards ? Density::kCells - 1 - row : row);
    svg += "<rect x=\"" + std::to_string(kLeft + kCell * column) + "\" y=\"" + std::to_string(y) +
           "\" width=\"" + std::to_string(kCell) + "\" height=\"" + std::to_string(kCell) +
           "\" class=\"s0\" fill-opacity=\"" + opacity(n, most) + "\"" +
           attribute(chart.key, std::to_string(column) + "," + std::to_string(row)) +
           attribute("n", std::to_string(n)) + "><title>" + grouped(n) +
           (n == 1 ? " box" : " boxes") + "</title></rect>\n";
  }
  return svg;
}

std::string axes(const DensityChart& chart) {
  std::string svg = "<rect x=\"" + std::to_string(kLeft) + "\" y=\"" + std::to_string(kAbove) +
                    "\" width=\"" + std::to_string(kPlot) + "\" height=\"" + std::to_string(kPlot) +
                    "\" class=\"frame\"/>\n";
  for (const int percent : {0, 50, 100}) {
    const double along = kPlot * percent / 100.0;
    const std::string label = std::to_string(percent) + (percent == 0 ? "" : " %");
    const std::string x_style = percent == 0 ? "axis" : percent == 100 ? "end axis" : "middle axis";
    svg += svg_text(kLeft + along, kAbove + kPlot + 15, x_style, label);
    if (percent > 0 || chart.upwards) {
      const double y = chart.upwards ? kAbove + kPlot - along : kAbove + along;
      svg += svg_text(kLeft - 6, std::max(kAbove + 10.0, y), "end axis", label);
    }
  }
  return svg + svg_text(kLeft + kPlot / 2.0, kAbove + kPlot + 33, "middle axis",
                        chart.x_axis + " →   " + chart.y_axis + (chart.upwards ? " ↑" : " ↓"));
}

}  // namespace

std::string density_chart(const DensityChart& chart, const Density& density) {
  return "<figure><h3>" + escaped(chart.title) + "</h3>\n" +
         open_svg(kLeft + kPlot + kRight, kAbove + kPlot + kBelow, chart.title) +
         cells(chart, density) + axes(chart) + "</svg></figure>\n";
}

}  // namespace letterpress
