#include "preprocess/recipe/whole_frame.h"

#include <doctest/doctest.h>

#include "preprocess/recipe/recipe.h"

using namespace letterpress;

namespace {

constexpr int kFrameOfPicture = 40;

Picture drawn(std::int32_t width, std::int32_t height) {
  Picture picture;
  picture.width = width;
  picture.height = height;
  picture.rgb.resize(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  std::uint32_t state = 12345;
  for (std::uint8_t& byte : picture.rgb) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return picture;
}

// Lines [first, first + n) of a picture, as one in bands has them.
Picture lines_of_picture(const Picture& whole, std::int32_t first, std::int32_t n) {
  const auto line = 3 * static_cast<std::ptrdiff_t>(whole.width);
  Picture some;
  some.width = whole.width;
  some.height = whole.height;
  some.first_line = first;
  some.rgb.assign(whole.rgb.begin() + first * line, whole.rgb.begin() + (first + n) * line);
  return some;
}

std::vector<std::uint8_t> bytes_of(const WholeFrame& frame) {
  return {frame.frame().begin(), frame.frame().end()};
}

}  // namespace

TEST_CASE("a whole frame has the bytes of the picture's clean row, at once and in bands") {
  const LetterboxRule rule;
  for (const auto& [width, height] : {std::pair{333, 517}, {517, 333}, {41, 40}, {900, 30}}) {
    CAPTURE(width);
    const Picture picture = drawn(width, height);
    std::vector<std::uint8_t> expected(3 * kFrameOfPicture * kFrameOfPicture);
    ShardRow row;
    const auto workspace = make_render_workspace();
    const Recipe recipe = Recipe::clean(rule);
    render_view({.recipe = recipe,
                 .picture = picture,
                 .source_width = width,
                 .source_height = height,
                 .side = kFrameOfPicture},
                *workspace, row, expected);
    WholeFrame at_once;
    at_once.begin(picture, width, height, kFrameOfPicture, rule);
    at_once.draw(picture);
    CHECK(at_once.first_needed() == height);
    CHECK(bytes_of(at_once) == expected);

    WholeFrame in_bands;
    in_bands.begin(picture, width, height, kFrameOfPicture, rule);
    std::int32_t largest = 0;
    for (std::int32_t end = 1; end <= height; ++end) {
      const std::int32_t first = in_bands.first_needed();
      if (first >= end) continue;
      largest = std::max(largest, end - first);
      in_bands.draw(lines_of_picture(picture, first, end - first));
    }
    CHECK(in_bands.first_needed() == height);
    CHECK(bytes_of(in_bands) == expected);
    // The kernel is as wide as a frame line's lines on both sides, and room is left.
    const int lines_per_line = (std::max(width, height) + kFrameOfPicture - 1) / kFrameOfPicture;
    CHECK(largest <= std::min(height, 5 * lines_per_line + 8));
  }
}
