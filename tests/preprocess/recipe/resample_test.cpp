#include "preprocess/recipe/resample.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tests/preprocess/noise.h"

namespace letterpress {
namespace {

std::vector<std::uint8_t> resampled(const ResampleSource& source, const Affine& map,
                                    const LetterboxRule& rule, int side) {
  std::vector<std::uint8_t> frame(static_cast<std::size_t>(side * side * 3), 77);
  ResampleWorkspace workspace;
  resample(source, map, rule, side, frame, workspace);
  return frame;
}

constexpr LetterboxRule kLinear{.fill = 10};
constexpr LetterboxRule kCubic{.fill = 10, .resize = LetterboxRule::Resize::cubic};

TEST_CASE("a used workspace gives the bytes of a fresh one") {
  const std::vector<std::uint8_t> picture = noise(60 * 48 * 3);
  const std::vector<Affine> maps{{{0.6, 0, 0, 0, 0.6, 4}},  {{0.6, 0, 0, 0, 0.6, 4}},
                                 {{0.6, 0, 0, 0, 0.6, 5}},  {{1, 0, 0, 0, 1, 0}},
                                 {{0.6, 0, -2, 0, 0.6, 5}}, {{-0.6, 0, 40, 0, 0.6, 5}},
                                 {{0.2, 0, 9, 0, 0.6, 5}}};
  ResampleWorkspace kept;
  std::vector<std::uint8_t> frame(32 * 32 * 3);
  for (const LetterboxRule& rule : {kLinear, kCubic}) {
    for (const std::int32_t width : {60, 48}) {
      const ResampleSource source{picture, width, 48};
      for (const Affine& map : maps) {
        resample(source, map, rule, 32, frame, kept);
        CHECK(frame == resampled(source, map, rule, 32));
      }
    }
  }
}

TEST_CASE("the identity copies, a mirror mirrors, a shift leaves the fill") {
  const std::vector<std::uint8_t> picture = noise(32 * 32 * 3);
  const ResampleSource source{picture, 32, 32};
  for (const LetterboxRule& rule : {kLinear, kCubic}) {
    CHECK(resampled(source, {}, rule, 32) == picture);
    const auto mirrored = resampled(source, {{-1, 0, 32, 0, 1, 0}}, rule, 32);
    const auto shifted = resampled(source, {{1, 0, 5, 0, 1, -3}}, rule, 32);
    for (std::size_t y = 0; y < 32; ++y) {
      for (std::size_t x = 0; x < 32; ++x) {
        CHECK_FALSE(mirrored[(y * 32 + x) * 3 + 1] != picture[(y * 32 + 31 - x) * 3 + 1]);
        const bool inside = x >= 5 && y < 29;
        CHECK_FALSE(shifted[(y * 32 + x) * 3 + 2] !=
                    (inside ? picture[((y + 3) * 32 + x - 5) * 3 + 2] : 10));
      }
    }
  }
}

TEST_CASE("flat colours stay the same at every scale, also much reduced") {
  std::vector<std::uint8_t> flat(500 * 400 * 3);
  for (std::size_t i = 0; i < flat.size(); ++i)
    flat[i] = std::array<std::uint8_t, 3>{255, 1, 97}[i % 3];
  for (const double scale : {0.08, 0.3, 0.7, 1.9}) {
    for (const LetterboxRule& rule : {kLinear, kCubic}) {
      const auto frame = resampled({flat, 500, 400}, {{scale, 0, 0, 0, scale, 0}}, rule, 32);
      CHECK(static_cast<int>(frame[0]) == 255);
      CHECK(static_cast<int>(frame[1]) == 1);
      CHECK(static_cast<int>(frame[3 * (31 * 32 + 20) + 2]) == 97);
    }
  }
}

TEST_CASE("reducing by four averages away what plain linear would alias") {
  std::vector<std::uint8_t> stripes(128 * 128 * 3);
  for (std::size_t i = 0; i < stripes.size(); ++i) stripes[i] = i / 3 % 2 ? 255 : 0;
  for (const LetterboxRule& rule : {kLinear, kCubic}) {
    const auto frame = resampled({stripes, 128, 128}, {{0.25, 0, 0, 0, 0.25, 0}}, rule, 32);
    for (std::size_t x = 3; x < 29; ++x) CHECK(std::abs(frame[(16 * 32 + x) * 3] - 127.5) < 3);
  }
}

TEST_CASE("a picture wholly outside the frame leaves only the fill") {
  const std::vector<std::uint8_t> picture = noise(8 * 8 * 3);
  CHECK(resampled({picture, 8, 8}, {{1, 0, 100, 0, 1, 0}}, kLinear, 32) ==
        std::vector<std::uint8_t>(32 * 32 * 3, 10));
}

TEST_CASE("a picture of one pixel fills what it covers") {
  const std::vector<std::uint8_t> picture{1, 2, 3};
  const auto frame = resampled({picture, 1, 1}, {{16, 0, 8, 0, 16, 8}}, kCubic, 32);
  CHECK(frame[(8 * 32 + 8) * 3 + 2] == 3);
  CHECK(frame[(23 * 32 + 23) * 3] == 1);
  CHECK(frame[(24 * 32 + 23) * 3] == 10);
}

TEST_CASE("quarter turns move every byte to the right pixel and change none") {
  const std::vector<std::uint8_t> picture = noise(37 * 37 * 3);
  const Affine clockwise{{0, -1, 37, 1, 0, 0}};
  for (const LetterboxRule& rule : {kLinear, kCubic}) {
    const auto turned = resampled({picture, 37, 37}, clockwise, rule, 37);
    for (std::size_t y = 0; y < 37; ++y) {
      for (std::size_t x = 0; x < 37; ++x)
        CHECK_FALSE(turned[(x * 37 + 36 - y) * 3 + 1] != picture[(y * 37 + x) * 3 + 1]);
    }
    CHECK(resampled({turned, 37, 37}, clockwise * clockwise * clockwise, rule, 37) == picture);
  }
}

TEST_CASE("resample_oblique agrees with resample_straight on maps that both can do") {
  std::vector<std::uint8_t> smooth(200 * 150 * 3);
  for (std::size_t i = 0; i < smooth.size(); ++i) {
    const double x = static_cast<double>(i / 3 % 200), y = static_cast<double>(i / 600);
    smooth[i] = static_cast<std::uint8_t>(128 + 50 * std::sin(x / 9 + static_cast<double>(i % 3)) +
                                          50 * std::cos(y / 7));
  }
  for (const Affine& map : {Affine{}, Affine{{1.7, 0, -40, 0, 1.2, 3.5}},
                            Affine{{0.3, 0, 10, 0, 0.4, 5}}, Affine{{-0.8, 0, 60, 0, 0.5, -9}}}) {
    CAPTURE(map.m[0]);
    std::vector<std::uint8_t> frame(64 * 64 * 3, 77);
    ResampleWorkspace workspace;
    resample_oblique({smooth, 200, 150}, map, kLinear, {frame, 64, 64}, workspace);
    const auto straight = resampled({smooth, 200, 150}, map, kLinear, 64);
    int largest = 0, outside = 0;
    for (std::size_t i = 0; i < frame.size(); ++i) {
      outside += (frame[i] == 10) != (straight[i] == 10);
      largest = std::max(largest, std::abs(frame[i] - straight[i]));
    }
    CHECK(outside == 0);
    CHECK(largest <= 12);
  }
}

// A picture that is linear in x and y stays so under any affine map, and bilinear interpolation of
// it is exact.
TEST_CASE("a turned ramp has the values of the ramp, by hand") {
  std::vector<std::uint8_t> ramp(64 * 64 * 3);
  for (std::size_t i = 0; i < ramp.size(); ++i)
    ramp[i] = static_cast<std::uint8_t>(i / 3 % 64 + 2 * (i / 192));
  const Affine map{{0.8, -0.6, 32 - 0.2 * 32 + 0.6 * 32 - 6.4, 0.6, 0.8, 32 - 1.4 * 32}};
  const auto frame = resampled({ramp, 64, 64}, map, kLinear, 64);
  const Affine back = inverse(map);
  int checked = 0;
  for (std::size_t y = 0; y < 64; ++y) {
    for (std::size_t x = 0; x < 64; ++x) {
      const auto [u, v] = apply(back, static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5);
      const int got = frame[(y * 64 + x) * 3];
      if (u < 0 || v < 0 || u >= 64 || v >= 64) CHECK(got == 10);
      if (u < 1 || v < 1 || u >= 63 || v >= 63) continue;
      CHECK(std::abs(got - (u - 0.5 + 2 * (v - 0.5))) < 0.6);
      ++checked;
    }
  }
  CHECK(checked > 2000);
}

TEST_CASE("stripes that are turned and reduced by four average away, too") {
  std::vector<std::uint8_t> stripes(256 * 256 * 3);
  for (std::size_t i = 0; i < stripes.size(); ++i) stripes[i] = i / 3 % 2 ? 255 : 0;
  const double c = 0.25 * 0.8660254, s = 0.25 * 0.5;
  const auto frame = resampled(
      {stripes, 256, 256}, {{c, -s, 32 - 128 * (c - s), s, c, 32 - 128 * (c + s)}}, kLinear, 64);
  for (std::size_t y = 24; y < 40; ++y) {
    for (std::size_t x = 24; x < 40; ++x) CHECK(std::abs(frame[(y * 64 + x) * 3] - 127.5) < 3);
  }
}

TEST_CASE(
    "a turned picture outside the frame leaves only the fill; of a huge one only the visible part "
    "is reduced") {
  const std::vector<std::uint8_t> picture = noise(8 * 8 * 3);
  CHECK(resampled({picture, 8, 8}, {{0.8, -0.6, 500, 0.6, 0.8, 0}}, kLinear, 32) ==
        std::vector<std::uint8_t>(32 * 32 * 3, 10));
  const std::vector<std::uint8_t> large(1000 * 1000 * 3, 50);
  std::vector<std::uint8_t> frame(32 * 32 * 3);
  ResampleWorkspace workspace;
  resample({large, 1000, 1000}, {{0.4, -0.3, 0, 0.3, 0.4, -200}}, kLinear, 32, frame, workspace);
  CHECK(frame == std::vector<std::uint8_t>(32 * 32 * 3, 50));
  CHECK(workspace.reduced.size() < 3 * 70 * 70);  // 32 * sqrt(2) frame pixels across
}

// A smooth coloured picture with a crest of chroma in the middle, as planes and as their RGB.
struct Crest {
  Crest(std::int32_t width, std::int32_t height, bool halved_across, bool halved_down) {
    planes.width = width;
    planes.height = height;
    planes.halved_across = halved_across;
    planes.halved_down = halved_down;
    for (std::int32_t y = 0; y < height; ++y) {
      for (std::int32_t x = 0; x < planes.luma_stride(); ++x)
        planes.luma.push_back(static_cast<std::uint8_t>(60 + x + y / 2));
    }
    const std::int32_t across = halved_across ? 2 : 1, down = halved_down ? 2 : 1;
    for (std::int32_t y = 0; y < planes.chroma_height(); ++y) {
      for (std::int32_t x = 0; x < planes.chroma_width(); ++x) {
        planes.cb.push_back(static_cast<std::uint8_t>(200 - 4 * std::abs(down * y - height / 2)));
        planes.cr.push_back(static_cast<std::uint8_t>(80 + 3 * std::abs(across * x - width / 2)));
      }
    }
    for (auto* plane : {&planes.luma, &planes.cb, &planes.cr})
      plane->resize(plane->size() + kYccSlack);
    ycc_to_rgb(planes, rgb);
  }
  ResampleSource as_rgb() const { return {rgb, planes.width, planes.height}; }
  ResampleSource as_planes() const { return {{}, planes.width, planes.height, &planes}; }

  YccPlanes planes;
  std::vector<std::uint8_t> rgb;
};

template <class Check>
void for_each_crest(Check&& check) {
  for (const auto& [across, down] : {std::pair{true, true}, {true, false}, {false, false}}) {
    for (const std::int32_t width : {80, 64, 51}) {
      CAPTURE(across);
      CAPTURE(down);
      CAPTURE(width);
      check(Crest(width, 45, across, down));
    }
  }
}

TEST_CASE("planes at scale 1 become the picture's RGB to the byte, whole or cut by the frame") {
  for_each_crest([](const Crest& picture) {
    for (const Affine& map : {Affine{{1, 0, 3, 0, 1, 10}}, Affine{{1, 0, -20, 0, 1, -7}}})
      CHECK(resampled(picture.as_planes(), map, kLinear, 96) ==
            resampled(picture.as_rgb(), map, kLinear, 96));
  });
}

// RGB is blended after the colours change, planes before: they differ in where they round, and in
// how they smooth the crest of chroma.
TEST_CASE("planes at another scale show nearly what their RGB shows") {
  for_each_crest([](const Crest& picture) {
    for (const LetterboxRule& rule : {kLinear, kCubic}) {
      for (const double scale : {0.3, 0.65, 0.8, 1.0, 1.7}) {
        CAPTURE(scale);
        const Affine map{{scale, 0, 5.25, 0, scale, 7.5}};
        const auto planes = resampled(picture.as_planes(), map, rule, 96),
                   rgb = resampled(picture.as_rgb(), map, rule, 96);
        double sum = 0;
        int largest = 0;
        for (std::size_t i = 0; i < rgb.size(); ++i) {
          const int difference = planes[i] - rgb[i];
          sum += difference;
          largest = std::max(largest, std::abs(difference));
        }
        CHECK(largest <= 6);
        CHECK(std::abs(sum / static_cast<double>(rgb.size())) < 0.25);
      }
    }
  });
}

TEST_CASE("one workspace serves planes and RGB in turn") {
  const Crest picture(64, 45, true, true);
  ResampleWorkspace kept;
  std::vector<std::uint8_t> frame(32 * 32 * 3);
  for (const double scale : {0.6, 0.6, 0.4, 1.0, 0.6}) {
    const Affine map{{scale, 0, 2, 0, scale, 1}};
    for (const ResampleSource& source : {picture.as_planes(), picture.as_rgb()}) {
      resample(source, map, kLinear, 32, frame, kept);
      CHECK(frame == resampled(source, map, kLinear, 32));
    }
  }
}

}  // namespace
}  // namespace letterpress
