#include "preprocess/draw/draw.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "preprocess/draw/pango.h"
#include "tests/skip.h"

namespace letterpress {
namespace {

using Colour = std::array<int, 3>;

struct Canvas {
  Canvas(int w, int h, int grey)
      : width(w),
        height(h),
        rgb(static_cast<std::size_t>(w * h * 3), static_cast<std::uint8_t>(grey)) {}
  Colour at(int x, int y) const {
    const auto i = static_cast<std::size_t>((y * width + x) * 3);
    return {rgb[i], rgb[i + 1], rgb[i + 2]};
  }
  void draw(std::vector<DrawnBox> boxes) { draw_boxes(rgb, width, height, boxes); }
  int width, height;
  std::vector<std::uint8_t> rgb;
};

int brightness(const Colour& colour) { return std::max({colour[0], colour[1], colour[2]}); }

TEST_CASE("a frame is drawn on the box's first and last pixels and leaves its inside unchanged") {
  Canvas canvas(100, 100, 128);
  canvas.draw({{20, 30, 60, 80, "", 3}});
  const Colour colour = canvas.at(20, 50);
  CHECK(brightness(colour) == 255);
  CHECK(canvas.at(59, 50) == colour);
  CHECK(canvas.at(40, 30) == colour);
  CHECK(canvas.at(40, 79) == colour);
  CHECK(canvas.at(40, 55) == Colour{128, 128, 128});
  CHECK(canvas.at(70, 55) == Colour{128, 128, 128});
}

TEST_CASE("on white, black and grey a frame has a bright line beside a dark rim") {
  for (const int background : {0, 128, 255}) {
    CAPTURE(background);
    Canvas canvas(100, 100, background);
    canvas.draw({{20, 20, 80, 80, "", 0}});
    CHECK(brightness(canvas.at(20, 50)) == 255);
    CHECK(brightness(canvas.at(19, 50)) < 40);
    CHECK(brightness(canvas.at(21, 50)) < 40);
  }
}

TEST_CASE("the first 20 classes have 20 colours, and a class always has the same") {
  std::set<Colour> colours;
  for (int i = 0; i < 20; ++i) {
    Canvas first(64, 64, 0), second(64, 64, 200);
    first.draw({{8, 8, 56, 56, "", i}});
    second.draw({{8, 8, 56, 56, "", i}});
    CHECK(first.at(8, 30) == second.at(8, 30));
    colours.insert(first.at(8, 30));
  }
  CHECK(colours.size() == 20);
}

TEST_CASE(
    "a text is dark on a plate in its class's colour: above the box, below it where that has no "
    "room, else inside") {
  struct Case {
    int top, bottom, first, last;  // of the box; of the lines that the plate is in
  };
  for (const auto& [top, bottom, first, last] :
       {Case{60, 140, 46, 57}, Case{0, 80, 82, 95}, Case{0, 200, 2, 14}}) {
    CAPTURE(top);
    CAPTURE(bottom);
    Canvas canvas(200, 200, 90);
    canvas.draw({{50, static_cast<float>(top), 150, static_cast<float>(bottom), "RBC 0.93", 2}});
    const Colour colour = canvas.at(50, top + 60);
    int plate = 0, ink = 0;
    for (int y = first; y < last; ++y) {
      for (int x = 52; x < 90; ++x)
        plate += canvas.at(x, y) == colour, ink += brightness(canvas.at(x, y)) < 60;
    }
    CHECK(plate > 100);
    CHECK(ink > 20);
  }
}

TEST_CASE("boxes beyond the picture and texts outside ASCII write nothing outside the picture") {
  Canvas canvas(40, 40, 10);
  canvas.draw({{-100, -50, 500, 700, "\xC3\xA9toile", 1},
               {200, 200, 300, 300, "away", -7},
               {39.9f, 39.9f, 39.9f, 39.9f, "point", 1 << 30}});
  CHECK(brightness(canvas.at(0, 35)) == 255);
}

TEST_CASE("without Pango or a font, a letter outside ASCII becomes one question mark" *
          doctest::test_suite("needs no Pango")) {
  if (pango_text("\xC3\xA9", 16)) {
    skip("Pango and a font are here");
    return;
  }
  Canvas accented(120, 60, 10), plain(120, 60, 10);
  accented.draw({{5, 20, 100, 50, "\xC3\xA9t\xE2\x82\xAC", 1}});
  plain.draw({{5, 20, 100, 50, "?t?", 1}});
  CHECK(accented.rgb == plain.rgb);
}

TEST_CASE("bytes that do not fit the size are a bug of the caller") {
  std::vector<std::uint8_t> rgb(10);
  CHECK_THROWS_WITH_AS(draw_boxes(rgb, 2, 2, {}), "draw_boxes: 10 bytes are not 2 x 2 x 3",
                       std::logic_error);
  CHECK_THROWS_AS(contact_sheet({}, 2, 64), std::logic_error);
}

Tile tile_of(int width, int height, std::uint8_t grey, std::string caption) {
  return {std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * 3), grey), width,
          height, std::move(caption)};
}

TEST_CASE("a contact sheet has tiles in rows, aspect kept, and captions below them") {
  const std::vector<Tile> tiles{tile_of(64, 64, 100, "a"), tile_of(128, 64, 150, "b"),
                                tile_of(32, 32, 200, "third of three, a long name")};
  const Sheet sheet = contact_sheet(tiles, 2, 64);
  CHECK(sheet.width == 6 + 2 * 70);
  CHECK(sheet.height == 6 + 2 * 88);
  CHECK(sheet.rgb.size() == static_cast<std::size_t>(sheet.width * sheet.height * 3));
  const auto grey = [&](int x, int y) {
    return static_cast<int>(sheet.rgb[static_cast<std::size_t>((y * sheet.width + x) * 3)]);
  };
  CHECK(grey(6, 6) == 100);
  CHECK(grey(69, 69) == 100);
  CHECK(grey(76 + 32, 6 + 32) == 150);
  CHECK(grey(76 + 32, 6 + 10) == 32);  // 128 x 64 fills half the height of its square
  CHECK(grey(6 + 32, 94 + 32) == 200);
  CHECK(grey(76 + 32, 94 + 32) == 32);  // no fourth tile
  int ink = 0;
  for (int y = 94 + 64; y < 94 + 64 + 18; ++y) {
    for (int x = 0; x < sheet.width; ++x) {
      ink += grey(x, y) > 150;
      CHECK_FALSE((x >= 72 && grey(x, y) > 60));  // a long caption is cut to its tile
    }
  }
  CHECK(ink > 40);
}

TEST_CASE("a line is as thin as its colour and a dark pixel on each side") {
  Canvas canvas(100, 100, 128);
  canvas.draw({{20, 20, 80, 80, "", 0}});
  for (const int x : {18, 22, 77, 81}) CHECK(canvas.at(x, 50) == Colour{128, 128, 128});
  for (const int x : {19, 21, 78, 80}) CHECK(canvas.at(x, 50) == Colour{0, 0, 0});
  CHECK(canvas.at(20, 50) == canvas.at(79, 50));
}

TEST_CASE("a legend names the colours below the sheet, and counts what has no room") {
  const std::vector<Tile> tiles{tile_of(64, 64, 100, "a")};
  const Sheet bare = contact_sheet(tiles, 1, 64);
  Sheet sheet = bare;
  add_legend(sheet, {});
  CHECK(sheet.height == bare.height);
  add_legend(sheet, {{3, "cat"}});
  CHECK(sheet.width == bare.width);
  CHECK(sheet.height == bare.height + 24);
  Canvas frame(30, 30, 0);
  frame.draw({{5, 5, 25, 25, "", 3}});
  const auto swatch = static_cast<std::size_t>(((bare.height + 8) * sheet.width + 10) * 3);
  CHECK(Colour{sheet.rgb[swatch], sheet.rgb[swatch + 1], sheet.rgb[swatch + 2]} == frame.at(5, 15));
  std::map<int, std::string> many;
  for (int i = 0; i < 80; ++i) many[i] = "class " + std::to_string(i);
  Sheet full = bare;
  add_legend(full, many);
  CHECK(full.height == bare.height + 3 * 18 + 6);
}

TEST_CASE("fewer tiles than columns make a narrower sheet") {
  const std::vector<Tile> tiles{tile_of(64, 64, 100, "a")};
  CHECK(contact_sheet(tiles, 5, 64).width == 76);
}

}  // namespace
}  // namespace letterpress
