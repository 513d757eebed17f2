#include "preprocess/report/charts.h"

#include <doctest/doctest.h>

#include "tests/contains.h"

using namespace letterpress;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

Contents two_splits() {
  Contents contents;
  contents.splits["train"].boxes_per_class = {3, 12, 0};
  contents.splits["val"].boxes_per_class = {1, 0, 0};
  contents.box_sizes.assign(kSizeBins, 0);
  contents.box_sizes[2] = 7;
  contents.crowds = {{0, 1}, {3, 4}, {130, 2}};
  return contents;
}

}  // namespace

TEST_CASE(
    "the class with the most boxes comes first, splits are in proportion, and class names are "
    "text") {
  const std::string svg = class_chart({"cat", "<b>dog</b>", "emu"}, two_splits());
  CHECK(svg.find("&lt;b&gt;dog") < svg.find(">cat<"));
  CHECK(svg.find(">cat<") < svg.find(">emu<"));
  CHECK(!contains(svg, "<b>"));
  // 720 less 170 for labels and 90 for counts: 460 for 12 boxes, 115 for 3, 38.33 for 1 beside
  // them.
  CHECK(contains(svg,
                 "width=\"460.00\" height=\"16.00\" class=\"s0\" "
                 "data-class=\"&lt;b&gt;dog&lt;/b&gt;\" data-split=\"train\" data-n=\"12\""));
  CHECK(contains(svg, "x=\"170.00\" y=\"26.00\" width=\"115.00\""));
  CHECK(contains(svg,
                 "x=\"285.00\" y=\"26.00\" width=\"38.33\" height=\"16.00\" class=\"s1\" "
                 "data-class=\"cat\" data-split=\"val\" data-n=\"1\""));
}

TEST_CASE("a long class name is cut between characters") {
  // 20 letters fit, of two bytes each.
  const std::string svg =
      class_chart({"ääääääääääääääääääää", "ääääääääääääääääääää1", "c"}, two_splits());
  CHECK(contains(svg, ">ääääääääääääääääääää<"));
  CHECK(contains(svg, ">äääääääääääääääääää…<"));
}

TEST_CASE("the size chart has every bin, the fullest at full height with its count above") {
  const std::string svg = size_chart(two_splits(), 416);
  CHECK(count(svg, "data-size-bin") == kSizeBins);
  CHECK(contains(svg,
                 "height=\"180.00\" class=\"s0\" data-size-bin=\"2\" data-n=\"7\"><title>26 to 39 "
                 "pixels: 7 boxes</title>"));
  CHECK(contains(svg, "class=\"middle count\">7<"));
}

TEST_CASE("many different numbers of boxes share columns, and none is lost") {
  const std::string svg = crowd_chart(two_splits());
  CHECK(contains(svg, "data-boxes=\"0\" data-n=\"5\"><title>0 to 3 boxes: 5 pictures"));
  CHECK(contains(svg, "data-boxes=\"128\" data-n=\"2\"><title>128 to 131 boxes: 2 pictures"));
  CHECK(count(svg, "data-boxes") == 33);
}

TEST_CASE("anchors are drawn to scale, the largest first so that none hides another") {
  const std::string svg = anchor_chart({{32, 16}, {208, 416}}, 416);
  CHECK(contains(svg,
                 "x=\"55.00\" y=\"0.00\" width=\"110.00\" height=\"220.00\" "
                 "class=\"anchor\"><title>208.0 × 416.0"));
  CHECK(svg.find("208.0") < svg.find("32.0"));
}

TEST_CASE("a set without boxes or classes still has charts") {
  Contents contents;
  contents.box_sizes.assign(kSizeBins, 0);
  CHECK(contains(class_chart({}, contents), "<svg"));
  CHECK(contains(crowd_chart(contents), "<svg"));
}

TEST_CASE(
    "sizes before and now are side by side as shares of all boxes, the largest share at full "
    "height") {
  const std::string svg = size_change_chart({1, 3}, {20, 20});
  // 360 per bin, two bars of 179; shares 25 % and 75 %, 50 % and 50 %.
  CHECK(contains(svg,
                 "<rect x=\"1.00\" y=\"136.00\" width=\"179.00\" height=\"60.00\" class=\"s0\" "
                 "data-size-change=\"0\" data-share=\"25.0\">"
                 "<title>0 to 8 pixels: 25.0 % of the boxes before, 50.0 % now</title>"));
  CHECK(contains(svg,
                 "<rect x=\"180.00\" y=\"76.00\" width=\"179.00\" height=\"120.00\" class=\"s1\" "
                 "data-size-change=\"0\" data-share=\"50.0\">"));
  CHECK(contains(svg,
                 "height=\"180.00\" class=\"s0\" data-size-change=\"1\" "
                 "data-share=\"75.0\"><title>8 to 16 pixels: 75.0 %"));
}

TEST_CASE("the names beside colours are text, whatever they hold") {
  const std::string html = colour_key({"before", "<b>"});
  CHECK(contains(html, "class=\"s0\"/></svg>before</span>"));
  CHECK(contains(html, "class=\"s1\"/></svg>&lt;b&gt;</span>"));
}
