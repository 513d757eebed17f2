#include "trainer/schedules/plot.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace letterpress;

TEST_CASE(
    "a straight line falls through the terminal's plot from corner to corner, with its axes") {
  const SchedulePlot plot{.title = "linear, 10 steps", .rates = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}};
  CHECK(plot.text(10, 4) ==
        "linear, 10 steps\n"
        "        9 |**\n"
        "        6 |  ***\n"
        "        3 |     ***\n"
        "        0 |        **\n"
        "          +----------\n"
        "           0  step 10\n");
}

TEST_CASE("a plot has as many columns as asked for, however many steps; one step is enough") {
  for (const std::size_t steps : {1, 3, 72, 100000}) {
    CAPTURE(steps);
    const std::string text =
        SchedulePlot{.title = "t", .rates = std::vector<double>(steps, 0.5)}.text();
    CHECK(text.find("      0.5 |" + std::string(72, '*') + "\n") != std::string::npos);
    CHECK(std::count(text.begin(), text.end(), '\n') == 15);
  }
  CHECK(SchedulePlot{.title = "t", .rates = {0, 0}}.text(4, 2).find("        0 |****\n") !=
        std::string::npos);
}

TEST_CASE("the SVG is one self-contained picture whose line runs through the rates") {
  const SchedulePlot plot{.title = "a < b & c", .rates = {1, 0.5, 0}};
  const std::string svg = plot.svg();
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"360\""));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("a &lt; b &amp; c</text>") != std::string::npos);
  CHECK(svg.find("points=\"80.0,40.0 390.0,180.0 700.0,320.0\"") != std::string::npos);
  CHECK(svg.find("href") == std::string::npos);
  const std::string many = SchedulePlot{.title = "t", .rates = std::vector<double>(50000, 1)}.svg();
  CHECK(many.size() < 20000);
}

TEST_CASE("the CSV has a line per step with its epoch") {
  const SchedulePlot plot{.title = "t", .rates = {0.25, 1e-5, 0}, .steps_per_epoch = 2};
  CHECK(plot.csv() == "step,epoch,lr\n0,0,0.25\n1,0.5,1e-05\n2,1,0\n");
}
