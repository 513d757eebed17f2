#include "letterpress/page/line_chart.h"

#include <doctest/doctest.h>

#include <limits>

#include "letterpress/page/page.h"
#include "tests/contains.h"

using namespace letterpress;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE(
    "a curve is drawn to scale, with larger values higher, and its values are there for programs") {
  // 520 x 240 with margins of 56, 12, 10 and 36: x from 56 to 508, y from 204 up to 10.
  const std::string html = line_chart({.title = "scores",
                                       .x_axis = "epoch",
                                       .lines = {{"map50", {{1, 0}, {2, 1}, {3, 0.5}}}},
                                       .y_range = {{0, 1}}});
  CHECK(contains(html, "d=\"M56.0 204.0L282.0 10.0L508.0 107.0\""));
  CHECK(contains(html, "data-line=\"map50\" data-x=\"1 2 3\" data-y=\"0 1 0.5\""));
  CHECK(contains(html, "<h3>scores</h3>"));
  CHECK(contains(html, ">0.2</text>"));  // a round tick
  CHECK(contains(html, ">0</text>"));
  CHECK_FALSE(contains(html, ">-0"));
  CHECK(contains(html, ">epoch</text>"));
}

TEST_CASE("a curve has a gap where a value is missing, and a single point is a dot") {
  const std::string html = line_chart(
      {.title = "a", .lines = {{"top1", {{1, 0}, {2, kNone}, {3, 1}}}}, .y_range = {{0, 1}}});
  CHECK(contains(html, "d=\"M56.0 204.0M508.0 10.0\""));
  CHECK(contains(html, "data-y=\"0 nan 1\""));
  CHECK(contains(html, "cx=\"56.0\" cy=\"204.0\" r=\"2.5\"/>"));
  CHECK(contains(html, "cx=\"508.0\" cy=\"10.0\" r=\"2.5\"/>"));
  const std::string one = line_chart({.title = "b", .lines = {{"loss", {{1, 5}}}}});
  CHECK(contains(one, "<circle class=\"line l0 d0\" cx=\"282.0\" cy=\"74.7\" r=\"2.5\"/>"));
  CHECK_FALSE(contains(one, "d=\"Mnan"));
  CHECK_FALSE(contains(line_chart({.title = "none", .lines = {{"loss", {}}}}), "nan"));
}

TEST_CASE(
    "by powers of ten, each power has the same height; with a 0 among the values the axis is "
    "linear") {
  const std::vector<ChartLine> falling{{"loss", {{1, 100}, {2, 10}, {3, 1}}}};
  CHECK(contains(line_chart({.title = "a", .lines = falling, .powers = true}),
                 "d=\"M56.0 10.0L282.0 107.0L508.0 204.0\""));
  const std::string plain =
      line_chart({.title = "a", .lines = {{"loss", {{1, 100}, {2, 50}, {3, 0}}}}, .powers = true});
  CHECK(contains(plain, "d=\"M56.0 10.0L282.0 107.0L508.0 204.0\""));
}

TEST_CASE("an axis of whole numbers has no ticks between them, and lines have no dots") {
  LineChart chart{.title = "a", .lines = {{"loss", {{1, 5}, {2, 4}, {3, 6}}}}};
  CHECK(contains(line_chart(chart), ">1.5</text>"));
  chart.whole_x = true;
  const std::string whole = line_chart(chart);
  CHECK_FALSE(contains(whole, ">1.5</text>"));
  for (const char* epoch : {">1</text>", ">2</text>", ">3</text>"}) CHECK(contains(whole, epoch));
  CHECK_FALSE(contains(whole, "<circle"));
}

TEST_CASE("a curve of one value, however small, is drawn beside that value") {
  const std::string html =
      line_chart({.title = "rate", .lines = {{"lr", {{1, 0.001}, {2, 0.001}}}}});
  CHECK(contains(html, ">0.001</text>"));
  CHECK_FALSE(contains(html, ">-"));
  CHECK(contains(html, "d=\"M56.0 74.7L508.0 74.7\""));  // two thirds of 0 to 0.0015
}

TEST_CASE("names of curves and titles are text, whatever they hold") {
  const std::string html = line_chart({.title = "<b>", .lines = {{"a<script>", {{1, 1}, {2, 2}}}}});
  CHECK_FALSE(contains(html, "<script>"));
  CHECK_FALSE(contains(html, "<b>"));
  const std::string page =
      whole_page("a & b", section("x < y", tile("numbers & more", "<span>1</span>")));
  CHECK(contains(page, "<title>a &amp; b</title>"));
  CHECK(contains(page, "<h2>x &lt; y</h2>"));
  CHECK(contains(page, "<b><span>1</span></b><small>numbers &amp; more</small>"));
  CHECK(page.starts_with("<!DOCTYPE html>"));
}
