#include "preprocess/report/shapes.h"

#include <doctest/doctest.h>

#include "preprocess/report/shape_charts.h"
#include "tests/contains.h"

using namespace letterpress;

TEST_CASE("a density counts by cells, and what lies outside falls to the nearest one") {
  Density density;
  density.add(0, 0);
  density.add(0.5, 0.25);
  density.add(0.5, 0.25);
  density.add(1, 1);
  density.add(-0.1, 2);
  CHECK(density.counts[0] == 1);
  CHECK(density.counts[8 * Density::kCells + 16] == 2);
  CHECK(density.counts[Density::kCells * Density::kCells - 1] == 1);
  CHECK(density.counts[(Density::kCells - 1) * Density::kCells] == 1);
  CHECK(density.most() == 2);
}

TEST_CASE("the fullest cell is opaque, plots grow upwards and pictures downwards") {
  Density density;
  density.add(0, 0);
  for (int i = 0; i < 4; ++i) density.add(0.99, 0);
  const std::string up = density_chart({"t", "x", "y", true, "shape"}, density),
                    down = density_chart({"t", "x", "y", false, "centre"}, density);
  // Cells of 10; the last row begins 310 below the plot's upper edge, which is at 8.
  CHECK(contains(up,
                 "x=\"40\" y=\"318\" width=\"10\" height=\"10\" class=\"s0\" "
                 "fill-opacity=\"0.56\" data-shape=\"0,0\" data-n=\"1\"><title>1 box<"));
  CHECK(contains(up,
                 "x=\"350\" y=\"318\" width=\"10\" height=\"10\" class=\"s0\" "
                 "fill-opacity=\"1.00\" data-shape=\"31,0\" data-n=\"4\""));
  CHECK(contains(down, "x=\"40\" y=\"8\" width=\"10\""));
  CHECK(contains(density_chart({"t", "x", "y", true, "shape"}, Density()), "<svg"));
}
