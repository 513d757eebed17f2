#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "preprocess/pictures/bands/banded_picture.h"
#include "preprocess/pictures/picture.h"
#include "tests/preprocess/golden.h"
#include "tests/preprocess/noise.h"

namespace letterpress {

// Ramps with noise in every other block: chroma with and without overshoot.
inline std::vector<std::uint8_t> drawn_rgb(int width, int height) {
  std::vector<std::uint8_t> rgb = noise(static_cast<std::size_t>(3 * width * height));
  for (int i = 0; i < width * height; ++i) {
    const int x = i % width, y = i / width;
    for (int c = 0; c < 3 && (x / 8 + y / 8) % 2 == 0; ++c)
      rgb[static_cast<std::size_t>(3 * i + c)] = static_cast<std::uint8_t>((c + 1) * x + 5 * y);
  }
  return rgb;
}

inline Picture decoded(const std::string& content, double min_scale, Depth depth) {
  const auto info = probe(bytes_of(content), "a", {.depth = depth});
  REQUIRE(info);
  Picture picture;
  REQUIRE_FALSE(decode(bytes_of(content), *info, min_scale, "a", picture));
  return picture;
}

// All lines, taken in bands of `band` lines of which `overlap` are kept for the next one.
inline std::vector<std::uint8_t> lines_of(BandedPicture& picture, int band, int overlap) {
  std::vector<std::uint8_t> rgb;
  const Picture& held = picture.picture();
  const std::size_t line = 3 * static_cast<std::size_t>(held.width);
  for (int top = 0; top < held.height; top += band - overlap) {
    REQUIRE_FALSE(picture.keep(top, top + band));
    CHECK(held.first_line == top);
    CHECK(held.rgb.size() == line * static_cast<std::size_t>(std::min(band, held.height - top)));
    rgb.resize(line * static_cast<std::size_t>(top));
    rgb.insert(rgb.end(), held.rgb.begin(), held.rgb.end());
  }
  REQUIRE_FALSE(picture.finish());
  return rgb;
}

struct Case {
  std::string name, content;
  double min_scale = 1;
  Depth depth = Depth::unset;
};

inline void check_bands(const Case& of, const PictureBytes& bytes) {
  const auto info = probe(bytes, "a", {.depth = of.depth});
  REQUIRE(info);
  const Picture whole = decoded(of.content, of.min_scale, of.depth);
  for (const auto& [band, overlap] : {std::pair(1, 0), {7, 3}, {64, 20}, {5000, 0}}) {
    CAPTURE(band);
    const OpenedBands opened = open_bands(bytes, *info, of.min_scale, "a");
    CHECK(opened.why_whole == "");
    REQUIRE(opened.picture);
    CHECK(opened.picture->picture().width == whole.width);
    CHECK(opened.picture->picture().height == whole.height);
    CHECK(opened.picture->picture().scale_eighths == whole.scale_eighths);
    CHECK(lines_of(*opened.picture, band, overlap) == whole.rgb);
  }
}

}  // namespace letterpress
