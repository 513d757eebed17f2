#include "preprocess/recipe/resample.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "letterpress/base/cpu.h"
#include "preprocess/recipe/resample_kernels.h"

namespace letterpress {
namespace {

const ResampleKernels& fastest() {
  if (runs_avx512()) return __builtin_cpu_supports("avx512vbmi") ? kResampleVbmi : kResampleAvx512;
  return runs_avx2() ? kResampleAvx2 : kResampleBaseline;
}

const ResampleKernels& kernels() {
  static const ResampleKernels& chosen = fastest();
  return chosen;
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

// Where the run of source pixels begins that the frame's show as they are: at scale 1 and whole offsets.
std::optional<std::int32_t> copied_run(const AxisWeights& x) {
  std::int32_t first = 0;
  for (int i = 0; i < x.count; ++i) {
    const std::int16_t* const weight = x.weight.data() + static_cast<std::ptrdiff_t>(i) * x.taps;
    const std::int16_t* const whole = std::find(weight, weight + x.taps, std::int16_t{1 << kWeightBits});
    if (whole == weight + x.taps || std::count(weight, weight + x.taps, std::int16_t{0}) != x.taps - 1) return std::nullopt;
    const std::int32_t at = x.start[static_cast<std::size_t>(i)] + static_cast<std::int32_t>(whole - weight);
    if (i == 0) first = at;
    if (at != first + i) return std::nullopt;
  }
  return first;
}

// Source lines blended to frame lines, the needed columns only.
class Lines {
 public:
  Lines(const ResampleSource& source, const AxisWeights& x, ResampleWorkspace& workspace)
      : source_(source),
        columns_(needed_columns(x, source.width)),
        workspace_(workspace),
        bytes_(3 * static_cast<std::size_t>(columns_.end - columns_.first)),
        readable_(bytes_ + 3 * static_cast<std::size_t>(x.taps) + kLineSlack) {
    workspace_.line.resize(readable_);
  }

  std::int32_t first_column() const { return columns_.first; }

  // Frame line i of the picture; kLineSlack + 3 * taps bytes behind it can be read.
  const std::uint8_t* blend(const AxisWeights& y, int i) {
    const std::int16_t* weight = y.weight.data() + static_cast<std::ptrdiff_t>(i) * y.taps;
    std::int32_t row = y.start[static_cast<std::size_t>(i)];
    int taps = y.taps;
    while (taps > 1 && weight[taps - 1] == 0) --taps;
    for (; taps > 1 && *weight == 0; ++weight, ++row) --taps;
    workspace_.rows.resize(static_cast<std::size_t>(taps));
    for (int k = 0; k < taps; ++k) workspace_.rows[static_cast<std::size_t>(k)] = pixels_of(row + k);
    const std::uint8_t* const end = source_.rgb.data() + source_.rgb.size();
    if (taps == 1 && static_cast<std::size_t>(end - workspace_.rows[0]) >= readable_) return workspace_.rows[0];
    kernels().blend_rows(workspace_.rows.data(), weight, taps, bytes_, workspace_.line.data());
    return workspace_.line.data();
  }

 private:
  const std::uint8_t* pixels_of(std::int32_t row) const {
    const std::size_t pixel = static_cast<std::size_t>(row) * static_cast<std::size_t>(source_.width);
    return source_.rgb.data() + 3 * (pixel + static_cast<std::size_t>(columns_.first));
  }

  const ResampleSource& source_;
  const Columns columns_;
  ResampleWorkspace& workspace_;
  const std::size_t bytes_, readable_;
};

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

  Lines lines(source, x, workspace);
  const std::optional<std::int32_t> copied = copied_run(x);
  if (!copied && x.arranged.empty()) kernels().arrange(x);
  for (int i = 0; i < y.count; ++i) {
    const std::uint8_t* const line = lines.blend(y, i);
    std::uint8_t* const out = target.rgb.data() + 3 * (static_cast<std::size_t>(y.first + i) * static_cast<std::size_t>(target.width) +
                                                       static_cast<std::size_t>(x.first));
    if (copied) {
      std::memcpy(out, line + 3 * (*copied - lines.first_column()), 3 * static_cast<std::size_t>(x.count));
    } else {
      kernels().gather(line, x, lines.first_column(), out);
    }
  }
}

}  // namespace letterpress
