#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace letterpress {

/// A curve: points x, y by ascending x. The curve has a gap where y is not a number.
struct ChartLine {
  std::string name{};
  std::vector<std::array<double, 2>> points{};
  std::optional<int> class_id{};  ///< has that class's colour (class_colour.h), else its place's
};

/// Curves over a common axis, with their names below. For programs, data-line, data-x and data-y
/// hold the values of a curve.
struct LineChart {
  std::string title{};
  std::string x_axis{};  ///< what x is
  std::vector<ChartLine> lines{};
  std::optional<std::array<double, 2>> y_range{};  ///< least and most; none: of the points
  bool powers = false;                             ///< y by powers of ten, if all y are above 0
  bool whole_x = false;                            ///< x are whole numbers: epochs, say
};

/// <h3>, <svg> and the names of the curves.
std::string line_chart(const LineChart& chart);

}  // namespace letterpress
