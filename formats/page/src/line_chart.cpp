#include "letterpress/page/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "letterpress/page/html.h"
#include "letterpress/page/svg.h"

namespace letterpress {
namespace {

constexpr int kWidth = 520, kHeight = 240, kLeft = 56, kRight = 12, kTop = 10, kBottom = 36;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string short_number(double value) { return fmt::format("{:.6g}", value); }

/// One axis: values to pixels.
struct Axis {
  double least, most;
  double from, to;  ///< pixels
  bool powers = false, whole = false;
  double scaled(double value) const { return powers ? std::log10(value) : value; }
  double at(double value) const {
    return from + (scaled(value) - scaled(least)) / (scaled(most) - scaled(least)) * (to - from);
  }
};

/// Round numbers within the axis, about `wanted` of them.
std::vector<double> ticks(const Axis& axis, int wanted) {
  std::vector<double> values;
  if (axis.powers) {
    for (double power = std::pow(10, std::floor(std::log10(axis.least)));
         power <= axis.most * 1.0001; power *= 10)
      for (const double times : {1.0, 2.0, 5.0})
        if (power * times >= axis.least * 0.9999 && power * times <= axis.most * 1.0001)
          values.push_back(power * times);
    if (values.size() > 1) return values;
    values.clear();
  }
  const double rough = (axis.most - axis.least) / wanted,
               power = std::pow(10, std::floor(std::log10(rough)));
  double step = power * (rough / power > 5   ? 10
                         : rough / power > 2 ? 5
                         : rough / power > 1 ? 2
                                             : 1);
  if (axis.whole) step = std::max(step, 1.0);
  const double first = std::ceil(axis.least / step - 1e-9) + 0.0;  // + 0.0 turns -0 into 0
  for (double i = first; i * step <= axis.most + step * 1e-9; ++i) values.push_back(i * step);
  return values;
}

/// Least and most of a coordinate of all points that are numbers, never equal; 0 and 1 if there is
/// no such point.
std::array<double, 2> range_of(const std::vector<ChartLine>& lines, std::size_t coordinate) {
  double least = kInfinity, most = -kInfinity;
  for (const ChartLine& line : lines) {
    for (const auto& point : line.points) {
      if (!std::isfinite(point[coordinate]) || !std::isfinite(point[1])) continue;
      least = std::min(least, point[coordinate]);
      most = std::max(most, point[coordinate]);
    }
  }
  if (least > most) return {0, 1};
  const double room = least < most ? 0 : least == 0 ? 0.5 : std::abs(least) / 2;
  return {least - room, most + room};
}

Axis y_axis(const LineChart& chart) {
  auto [least, most] = chart.y_range.value_or(range_of(chart.lines, 1));
  const bool powers = chart.powers && least > 0;
  if (!chart.y_range && !powers && least > 0 && least < most / 2) least = 0;
  return {least, most, kHeight - kBottom, kTop, powers};
}

std::string grid(const Axis& x, const Axis& y, const std::string& x_name) {
  std::string svg;
  for (const double value : ticks(y, 5)) {
    const std::string at = fixed(y.at(value), 1);
    svg += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>\n", kLeft,
                       kWidth - kRight, at, at);
    svg += svg_text(kLeft - 6, y.at(value) + 4, "end axis", short_number(value));
  }
  for (const double value : ticks(x, 8))
    svg += svg_text(x.at(value), kHeight - kBottom + 16, "middle axis", short_number(value));
  return svg + svg_text(kWidth - kRight, kHeight - 4, "end axis", x_name);
}

// Attributes of a line's path.
std::string style_of(const ChartLine& line, std::size_t number) {
  if (!line.class_id) return fmt::format("class=\"line l{} d{}\"", number % 4, number / 4 % 3);
  return "class=\"line\" style=\"stroke:" + hex_colour(*line.class_id) + "\"";
}

// A piece of one point would be too small to see.
std::string dots(const ChartLine& line, const std::string& style, const Axis& x, const Axis& y) {
  std::string svg;
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    const auto is_drawn = [&](std::size_t at) {
      return at < line.points.size() && std::isfinite(line.points[at][1]);
    };
    if (!is_drawn(i) || (i > 0 && is_drawn(i - 1)) || is_drawn(i + 1)) continue;
    svg += fmt::format("<circle {} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"/>\n", style,
                       x.at(line.points[i][0]), y.at(line.points[i][1]));
  }
  return svg;
}

/// Pieces between gaps.
std::string curve(const ChartLine& line, std::size_t number, const Axis& x, const Axis& y) {
  std::string xs, ys, path;
  bool begun = false;
  for (const auto& [at, value] : line.points) {
    xs += (xs.empty() ? "" : " ") + short_number(at);
    ys += (ys.empty() ? "" : " ") + short_number(value);
    if (!std::isfinite(value)) {
      begun = false;
      continue;
    }
    path += fmt::format("{}{:.1f} {:.1f}", begun ? "L" : "M", x.at(at), y.at(value));
    begun = true;
  }
  return "<path " + style_of(line, number) + " d=\"" + path + "\"" + attribute("line", line.name) +
         attribute("x", xs) + attribute("y", ys) + "><title>" + escaped(line.name) +
         "</title></path>\n" + dots(line, style_of(line, number), x, y);
}

std::string keys(const std::vector<ChartLine>& lines) {
  std::string html = "<p>";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    html += "<span class=\"key\"><svg viewBox=\"0 0 12 12\"><path " + style_of(lines[i], i) +
            " d=\"M0 6H12\"/></svg>" + escaped(lines[i].name) + "</span>";
  }
  return html + "</p>\n";
}

}  // namespace

std::string line_chart(const LineChart& chart) {
  const auto [first, last] = range_of(chart.lines, 0);
  const Axis x{first, last, kLeft, kWidth - kRight, false, chart.whole_x};
  const Axis y = y_axis(chart);
  std::string html = "<div><h3>" + escaped(chart.title) + "</h3>\n" +
                     open_svg(kWidth, kHeight, chart.title) + grid(x, y, chart.x_axis);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) html += curve(chart.lines[i], i, x, y);
  return html + "</svg>\n" + keys(chart.lines) + "</div>\n";
}

}  // namespace letterpress
