// Names in any script, where Pango and a font that has it are installed.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "preprocess/draw/draw.h"
#include "preprocess/draw/pango.h"
#include "tests/skip.h"

namespace letterpress {
namespace {

const std::string kGreek = "\xCE\xB3\xCE\xAC\xCF\x84\xCE\xB1";  // gata: in nearly every font

bool has_font_for(const std::string& text) {
  const auto mask = pango_text(text, 16);
  return mask && mask->whole;
}

bool is_missing(const std::string& text) {
  if (has_font_for(text)) return false;
  skip("no Pango, or no font that has " + text);
  return true;
}

std::int64_t ink(const TextMask& mask) {
  return std::accumulate(mask.coverage.begin(), mask.coverage.end(), std::int64_t{0});
}

// A plate's width in a drawn picture, found by its colour.
int plate_width(const std::string& text) {
  constexpr int kWidth = 300, kHeight = 80;
  std::vector<std::uint8_t> rgb(std::size_t{kWidth} * kHeight * 3, 0);
  draw_boxes(rgb, kWidth, kHeight, std::vector<DrawnBox>{{5, 40, 295, 75, text, 0}});
  const std::size_t row = std::size_t{38} * kWidth * 3;  // the last of the plate
  const std::size_t line = std::size_t{60} * kWidth * 3 + 5 * 3;
  int width = 0;
  for (std::size_t x = 0; x < kWidth; ++x)
    width += std::equal(&rgb[row + x * 3], &rgb[row + x * 3] + 3, &rgb[line]) ? 1 : 0;
  return width;
}

}  // namespace

TEST_CASE("a mask has the letters' ink, grows with its size and its text" *
          doctest::test_suite("needs Pango")) {
  if (is_missing(kGreek)) return;
  const TextMask small = *pango_text(kGreek, 16), large = *pango_text(kGreek, 32),
                 longer = *pango_text(kGreek + kGreek, 16);
  CHECK(small.coverage.size() == static_cast<std::size_t>(small.width * small.height));
  CHECK(ink(small) > 0);
  CHECK(ink(large) > 3 * ink(small));
  CHECK(longer.width > 3 * small.width / 2);
  CHECK(small.ascent > small.height / 2);
  CHECK(small.ascent < small.height);
}

TEST_CASE("Arabic letters are joined: a word is narrower than its letters alone" *
          doctest::test_suite("needs Pango")) {
  const std::string ba = "\xD8\xA8";
  if (is_missing(ba)) return;
  CHECK(pango_text(ba + ba + ba, 32)->width < 3 * pango_text(ba, 32)->width);
}

TEST_CASE("a plate is as wide as its text, in any script, and other texts look different" *
          doctest::test_suite("needs Pango")) {
  if (is_missing(kGreek)) return;
  CHECK(plate_width(kGreek + kGreek) > plate_width(kGreek) + 10);
  CHECK(plate_width(kGreek + " 0.93") > plate_width(kGreek) + 10);
}

TEST_CASE("what no font has is told, with what to install") {
  const std::string nobodys = "\xF3\xB0\x80\x80";  // U+F0000, for private use
  CHECK(note_on_texts(std::vector<std::string>{"cat", "RBC 0.93"}) == "");
  const std::string note = note_on_texts(std::vector<std::string>{"cat", nobodys});
  if (pango_text(kGreek, 16)) {
    CHECK(note == "no font here has all characters of '" + nobodys +
                      "': install one, such as fonts-noto-core or fonts-noto-cjk");
  } else {
    CHECK(note == "names outside ASCII, such as '" + nobodys +
                      "', are drawn with '?': install libpangocairo-1.0-0 and a font, such as "
                      "fonts-noto-core or fonts-noto-cjk");
  }
  if (has_font_for(kGreek)) CHECK(note_on_texts(std::vector<std::string>{kGreek}) == "");
}

}  // namespace letterpress
