#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "preprocess/recipe/resample.h"

namespace letterpress {
namespace {

constexpr int kFixedBits = 32;  // positions in 1/2^32 pixel

// Source pixels that the frame shows, and one more on each side for the interpolation.
struct Visible {
  std::int32_t left, top, right, bottom;
};

Visible visible_part(const ResampleSource& source, const Affine& map,
                     const ResampleTarget& target) {
  const Affine back = inverse(map);
  double left = 1e18, top = 1e18, right = -1e18, bottom = -1e18;
  for (const double x : {0, target.width}) {
    for (const double y : {0, target.height}) {
      const auto [u, v] = apply(back, x, y);
      left = std::min(left, u), right = std::max(right, u);
      top = std::min(top, v), bottom = std::max(bottom, v);
    }
  }
  const auto pixel = [](double at, std::int32_t size) {
    return static_cast<std::int32_t>(std::clamp(at, 0.0, static_cast<double>(size)));
  };
  return {pixel(std::floor(left) - 1, source.width), pixel(std::floor(top) - 1, source.height),
          pixel(std::ceil(right) + 1, source.width), pixel(std::ceil(bottom) + 1, source.height)};
}

// Frame pixels per source pixel along an axis.
double length(double x, double y) { return std::sqrt(x * x + y * y); }

// Pixels of the reduced picture for n of the source; n if it does not shrink enough to be reduced.
int reduced_size(std::int32_t n, double scale) {
  if (scale * kShrinkOfPlainLinear >= 1) return n;
  return std::max(1, static_cast<int>(std::floor(n * scale + 0.5)));
}

struct Reduced {
  ResampleSource picture;
  Affine to_frame;
};

// The visible part, with each axis that shrinks enough reduced to about its size in the frame; the
// source itself if none does.
Reduced reduce(const ResampleSource& source, const Affine& map, const Visible& part,
               ResampleWorkspace& workspace) {
  const std::int32_t width = part.right - part.left, height = part.bottom - part.top;
  const int narrow = reduced_size(width, length(map.m[0], map.m[3])),
            low = reduced_size(height, length(map.m[1], map.m[4]));
  if (narrow == width && low == height) return {source, map};
  const double across = static_cast<double>(narrow) / width,
               down = static_cast<double>(low) / height;
  const Affine to_reduced{{across, 0, -part.left * across, 0, down, -part.top * down}};
  workspace.reduced.resize(3 * static_cast<std::size_t>(narrow) * static_cast<std::size_t>(low));
  resample_straight(source, to_reduced, {}, {workspace.reduced, narrow, low}, workspace);
  return {{workspace.reduced, narrow, low}, map * inverse(to_reduced)};
}

std::int64_t fixed(double value) {
  return static_cast<std::int64_t>(std::floor(value * (std::int64_t{1} << kFixedBits) + 0.5));
}

// One frame line in the picture, in 1/2^32 pixel: the centre of its pixel i is at x + i * step_x,
// y + i * step_y.
struct Line {
  std::int64_t x, y, step_x, step_y;
};

std::uint32_t blend(const std::uint8_t* top, const std::uint8_t* bottom, std::ptrdiff_t right,
                    const std::uint32_t* weight) {
  return (weight[0] * top[0] + weight[1] * top[right] + weight[2] * bottom[0] +
          weight[3] * bottom[right] + (1u << 15)) >>
         16;
}

void show_pixel(const ResampleSource& picture, std::int64_t x, std::int64_t y, std::uint8_t* out) {
  constexpr std::int64_t kHalf = std::int64_t{1} << (kFixedBits - 1);
  x -= kHalf, y -= kHalf;
  const auto fraction = [](std::int64_t at) {
    return static_cast<std::uint32_t>(at >> (kFixedBits - 8)) & 255u;
  };
  const std::uint32_t fx = fraction(x), fy = fraction(y);
  const std::uint32_t weight[4] = {(256 - fx) * (256 - fy), fx * (256 - fy), (256 - fx) * fy,
                                   fx * fy};
  const std::int64_t column = x >> kFixedBits, row = y >> kFixedBits;
  const std::int64_t left = std::max<std::int64_t>(column, 0), top = std::max<std::int64_t>(row, 0);
  const std::int64_t right = std::min<std::int64_t>(column + 1, picture.width - 1),
                     bottom = std::min<std::int64_t>(row + 1, picture.height - 1);
  const std::uint8_t *const upper = picture.pixel(left, top), *const lower =
                                                                  picture.pixel(left, bottom);
  const std::ptrdiff_t beside = 3 * (right - left);
  for (int c = 0; c < 3; ++c)
    out[c] = static_cast<std::uint8_t>(blend(upper + c, lower + c, beside, weight));
}

void show_line(const ResampleSource& picture, const Line& line, int fill, int width,
               std::uint8_t* out) {
  const std::int64_t end_x = std::int64_t{picture.width} << kFixedBits,
                     end_y = std::int64_t{picture.height} << kFixedBits;
  const auto inside = [&](int i) {
    const std::int64_t x = line.x + i * line.step_x, y = line.y + i * line.step_y;
    return x >= 0 && x < end_x && y >= 0 && y < end_y;
  };
  int first = 0, end = width;  // a line crosses a rectangle in one piece
  while (first < end && !inside(first)) ++first;
  while (end > first && !inside(end - 1)) --end;
  std::memset(out, fill, 3 * static_cast<std::size_t>(first));
  for (int i = first; i < end; ++i)
    show_pixel(picture, line.x + i * line.step_x, line.y + i * line.step_y, out + 3 * i);
  std::memset(out + 3 * end, fill, 3 * static_cast<std::size_t>(width - end));
}

}  // namespace

void resample_oblique(const ResampleSource& source, const Affine& map, const LetterboxRule& rule,
                      const ResampleTarget& target, ResampleWorkspace& workspace) {
  assert(!source.planes);
  const Visible part = visible_part(source, map, target);
  if (part.left >= part.right || part.top >= part.bottom) {
    std::memset(target.rgb.data(), rule.fill, target.rgb.size());
    return;
  }
  const auto [picture, to_frame] = reduce(source, map, part, workspace);
  const Affine back = inverse(to_frame);
  for (int i = 0; i < target.height; ++i) {
    const auto [x, y] = apply(back, 0.5, i + 0.5);
    show_line(picture, {fixed(x), fixed(y), fixed(back.m[0]), fixed(back.m[3])}, rule.fill,
              target.width, target.rgb.data() + 3 * static_cast<std::ptrdiff_t>(i) * target.width);
  }
}

}  // namespace letterpress
