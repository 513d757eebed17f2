#include "preprocess/recipe/resample.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

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

void fill_outside(const AxisWeights& x, const AxisWeights& y, int fill, int side, std::uint8_t* frame) {
  const auto bytes = [](int pixels) { return 3 * static_cast<std::size_t>(pixels); };
  const std::size_t line = bytes(side);
  if (x.count == 0 || y.count == 0) return static_cast<void>(std::memset(frame, fill, line * static_cast<std::size_t>(side)));
  std::memset(frame, fill, line * static_cast<std::size_t>(y.first));
  const int below = y.first + y.count, right = x.first + x.count;
  std::memset(frame + line * static_cast<std::size_t>(below), fill, line * static_cast<std::size_t>(side - below));
  for (int i = y.first; i < below; ++i) {
    std::uint8_t* const row = frame + line * static_cast<std::size_t>(i);
    std::memset(row, fill, bytes(x.first));
    std::memset(row + bytes(right), fill, bytes(side - right));
  }
}

}  // namespace

void resample(const ResampleSource& source, const Affine& map, const LetterboxRule& rule, int side, std::span<std::uint8_t> frame,
              ResampleWorkspace& workspace) {
  if (map.m[1] != 0 || map.m[3] != 0) throw std::logic_error("resample: the map turns or shears the picture");
  AxisWeights &x = workspace.x, &y = workspace.y;
  compute_weights({map.m[0], map.m[2], source.width, side}, rule.resize, x);
  compute_weights({map.m[4], map.m[5], source.height, side}, rule.resize, y);
  fill_outside(x, y, rule.fill, side, frame.data());
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
    std::uint8_t* const out =
        frame.data() + 3 * (static_cast<std::size_t>(y.first + i) * static_cast<std::size_t>(side) + static_cast<std::size_t>(x.first));
    kernels().gather(workspace.line.data(), x.start.data(), columns.first, x.weight.data(), x.taps, x.count, out);
  }
}

}  // namespace letterpress
