#include "preprocess/recipe/resample.h"

#include <algorithm>
#include <cstring>

#include "preprocess/recipe/resample_kernels.h"

namespace letterpress {
namespace {

const ResampleKernels& kernels() {
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  return has_avx2 ? kResampleAvx2 : kResampleBaseline;
}

// The source columns that a frame line needs.
struct Columns {
  std::int32_t first = 0, end = 0;
};

Columns needed_columns(const AxisWeights& x, std::int32_t width) {
  const auto [low, high] = std::minmax_element(x.start.begin(), x.start.end());
  return {*low, std::min(width, *high + x.taps)};
}

void fill_outside(const AxisWeights& x, const AxisWeights& y, int fill, const ResampleTarget& target) {
  const auto bytes = [](int pixels) { return 3 * static_cast<std::size_t>(pixels); };
  std::uint8_t* const frame = target.rgb.data();
  const std::size_t line = bytes(target.width);
  if (x.count == 0 || y.count == 0) return static_cast<void>(std::memset(frame, fill, line * static_cast<std::size_t>(target.height)));
  std::memset(frame, fill, line * static_cast<std::size_t>(y.first));
  const int below = y.first + y.count, right = x.first + x.count;
  std::memset(frame + line * static_cast<std::size_t>(below), fill, line * static_cast<std::size_t>(target.height - below));
  for (int i = y.first; i < below; ++i) {
    std::uint8_t* const row = frame + line * static_cast<std::size_t>(i);
    std::memset(row, fill, bytes(x.first));
    std::memset(row + bytes(right), fill, bytes(target.width - right));
  }
}

// Exchanges lines and columns of a square frame, block by block so that both sides stay in the cache.
void transpose(std::uint8_t* frame, std::size_t side) {
  constexpr std::size_t kBlock = 16;
  for (std::size_t top = 0; top < side; top += kBlock) {
    for (std::size_t left = 0; left <= top; left += kBlock) {
      for (std::size_t y = top; y < std::min(top + kBlock, side); ++y) {
        for (std::size_t x = left; x < std::min(left + kBlock, y); ++x)
          std::swap_ranges(frame + 3 * (y * side + x), frame + 3 * (y * side + x) + 3, frame + 3 * (x * side + y));
      }
    }
  }
}

}  // namespace

void resample(const ResampleSource& source, const Affine& map, const LetterboxRule& rule, int side, std::span<std::uint8_t> frame,
              ResampleWorkspace& workspace) {
  const ResampleTarget target{frame, side, side};
  if (map.m[1] == 0 && map.m[3] == 0) return resample_straight(source, map, rule, target, workspace);
  if (map.m[0] != 0 || map.m[4] != 0) return resample_oblique(source, map, rule, target, workspace);
  // A quarter turn is an axis-aligned map and an exchange of the frame's axes.
  resample_straight(source, {{map.m[3], 0, map.m[5], 0, map.m[1], map.m[2]}}, rule, target, workspace);
  transpose(frame.data(), static_cast<std::size_t>(side));
}

void resample_straight(const ResampleSource& source, const Affine& map, const LetterboxRule& rule, const ResampleTarget& target,
                       ResampleWorkspace& workspace) {
  AxisWeights &x = workspace.x, &y = workspace.y;
  compute_weights({map.m[0], map.m[2], source.width, target.width}, rule.resize, x);
  compute_weights({map.m[4], map.m[5], source.height, target.height}, rule.resize, y);
  fill_outside(x, y, rule.fill, target);
  if (x.count == 0 || y.count == 0) return;

  const Columns columns = needed_columns(x, source.width);
  const std::size_t line_bytes = 3 * static_cast<std::size_t>(columns.end - columns.first);
  const std::size_t taps = static_cast<std::size_t>(y.taps);
  workspace.line.resize(line_bytes + 3 * static_cast<std::size_t>(x.taps) + kLineSlack);
  workspace.rows.resize(taps);
  for (int i = 0; i < y.count; ++i) {
    for (std::size_t k = 0; k < taps; ++k) {
      const std::int32_t row = std::min(y.start[static_cast<std::size_t>(i)] + static_cast<std::int32_t>(k), source.height - 1);
      workspace.rows[k] = source.rgb.data() + 3 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(source.width) +
                                                   static_cast<std::size_t>(columns.first));
    }
    kernels().blend_rows(workspace.rows.data(), y.weight.data() + static_cast<std::size_t>(i) * taps, y.taps, line_bytes,
                         workspace.line.data());
    std::uint8_t* const out = target.rgb.data() + 3 * (static_cast<std::size_t>(y.first + i) * static_cast<std::size_t>(target.width) +
                                                       static_cast<std::size_t>(x.first));
    kernels().gather(workspace.line.data(), x.start.data(), columns.first, x.weight.data(), x.taps, x.count, out);
  }
}

}  // namespace letterpress
