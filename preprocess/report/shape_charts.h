#pragma once
#include <string>

#include "preprocess/report/shapes.h"

namespace letterpress {

/// What a density chart is of.
struct DensityChart {
  std::string title, x_axis, y_axis;
  bool upwards = false;  ///< whether y grows upwards, as in a plot; else downwards, as in a picture
  std::string key;       ///< cells have data-<key>="column,row" and data-n, for programs
};

/// <figure> with a square <svg>: the darker a cell, the more it counts.
std::string density_chart(const DensityChart& chart, const Density& density);

}  // namespace letterpress
