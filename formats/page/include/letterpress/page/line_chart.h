#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace letterpress {

/// A curve: points x, y by ascending x. Where y is no number the curve has a gap.
struct ChartLine {
  std::string name{};
  std::vector<std::array<double, 2>> points{};
};

/// Curves over a common axis, with their names below. Programs find the values of a curve in
/// data-line, data-x and data-y.
struct LineChart {
  std::string title{};
  std::string x_axis{};  ///< what x is
  std::vector<ChartLine> lines{};
  std::optional<std::array<double, 2>> y_range{};  ///< least and most; none: as the points have it
  bool powers = false;                             ///< y by powers of ten, where all y are over 0
};

/// <h3>, <svg> and the names of the curves.
std::string line_chart(const LineChart& chart);

}  // namespace letterpress
