#include "preprocess/recipe/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "letterpress/base/cpu.h"
#include "preprocess/recipe/recipe.h"
#include "preprocess/recipe/resample_kernels.h"

namespace letterpress {
namespace {

const ResampleKernels& fastest() {
  if (runs_avx512()) return kResampleAvx512;
  return runs_avx2() ? kResampleAvx2 : kResampleBaseline;
}

const ResampleKernels& kernels() {
  static const ResampleKernels& chosen = fastest();
  return chosen;
}

void fill_outside(const AxisWeights& x, const AxisWeights& y, int fill,
                  const ResampleTarget& target) {
  const auto bytes = [](int pixels) { return 3 * static_cast<std::size_t>(pixels); };
  std::uint8_t* const frame = target.rgb.data();
  const std::size_t line = bytes(target.width);
  if (x.count == 0 || y.count == 0)
    return static_cast<void>(
        std::memset(frame, fill, line * static_cast<std::size_t>(target.height)));
  std::memset(frame, fill, line * static_cast<std::size_t>(y.first));
  const int below = y.first + y.count, right = x.first + x.count;
  std::memset(frame + line * static_cast<std::size_t>(below), fill,
              line * static_cast<std::size_t>(target.height - below));
  for (int i = y.first; i < below; ++i) {
    std::uint8_t* const row = frame + line * static_cast<std::size_t>(i);
    std::memset(row, fill, bytes(x.first));
    std::memset(row + bytes(right), fill, bytes(target.width - right));
  }
}

// If frame pixels show a run of source pixels as they are (at scale 1 and a whole offset): where
// the run begins.
std::optional<std::int32_t> copied_run(const AxisWeights& x) {
  std::int32_t first = 0;
  for (int i = 0; i < x.count; ++i) {
    const std::int16_t* const weight = x.weight.data() + static_cast<std::ptrdiff_t>(i) * x.taps;
    const std::int16_t* const whole =
        std::find(weight, weight + x.taps, std::int16_t{1 << kWeightBits});
    if (whole == weight + x.taps ||
        std::count(weight, weight + x.taps, std::int16_t{0}) != x.taps - 1)
      return std::nullopt;
    const std::int32_t at =
        x.start[static_cast<std::size_t>(i)] + static_cast<std::int32_t>(whole - weight);
    if (i == 0) first = at;
    if (at != first + i) return std::nullopt;
  }
  return first;
}

// The source lines of which a frame line is blended: `count` lines from `row` on.
struct Taps {
  std::int32_t row;
  const std::int16_t* weight;
  int count;
};

Taps taps_of(const AxisWeights& y, int i) {
  Taps taps{y.start[static_cast<std::size_t>(i)],
            y.weight.data() + static_cast<std::ptrdiff_t>(i) * y.taps, y.taps};
  while (taps.count > 1 && taps.weight[taps.count - 1] == 0) --taps.count;
  for (; taps.count > 1 && *taps.weight == 0; ++taps.weight, ++taps.row) --taps.count;
  return taps;
}

// line_at(row): the first byte of a source line that is blended.
template <class LineAt>
const std::uint8_t* const* lines_of(const Taps& taps, std::vector<const std::uint8_t*>& rows,
                                    const LineAt& line_at) {
  rows.resize(static_cast<std::size_t>(taps.count));
  for (int k = 0; k < taps.count; ++k) rows[static_cast<std::size_t>(k)] = line_at(taps.row + k);
  return rows.data();
}

// Blends source lines to frame lines, the needed columns only.
class RgbLines {
 public:
  RgbLines(const ResampleSource& source, ResampleWorkspace& workspace)
      : source_(source),
        workspace_(workspace),
        first_(*std::ranges::min_element(workspace.x.start)),
        bytes_(3 * static_cast<std::size_t>(
                       std::min(source.width,
                                *std::ranges::max_element(workspace.x.start) + workspace.x.taps) -
                       first_)),
        readable_(bytes_ + 3 * static_cast<std::size_t>(workspace.x.taps) + kLineSlack) {
    workspace_.line.resize(readable_);
  }

  std::int32_t first_column() const { return first_; }

  // Returns frame line i of the picture; kLineSlack + 3 * taps bytes behind it can be read.
  const std::uint8_t* blend(int i) {
    const Taps taps = taps_of(workspace_.y, i);
    const auto* const rows =
        lines_of(taps, workspace_.rows, [this](std::int32_t row) { return pixels_of(row); });
    const std::uint8_t* const end = source_.rgb.data() + source_.rgb.size();
    if (taps.count == 1 && static_cast<std::size_t>(end - rows[0]) >= readable_) return rows[0];
    kernels().blend_rows(rows, taps.weight, taps.count, bytes_, workspace_.line.data());
    return workspace_.line.data();
  }

 private:
  const std::uint8_t* pixels_of(std::int32_t row) const { return source_.pixel(first_, row); }

  const ResampleSource& source_;
  ResampleWorkspace& workspace_;
  const std::int32_t first_;
  const std::size_t bytes_, readable_;
};

// The same of planes: blends a frame line's luma and chroma separately, then makes RGB of them.
class PlaneLines {
 public:
  PlaneLines(const YccPlanes& planes, const AxisMap& map, LetterboxRule::Resize resize,
             ResampleWorkspace& workspace)
      : planes_(planes),
        workspace_(workspace),
        room_(static_cast<std::size_t>(planes.chroma_width()) + 2 * kYccSlack) {
    // A halved chroma pixel is as high as two of luma, and its centre is between theirs.
    const double heights = planes.halved_down ? 2 : 1;
    compute_weights({map.scale * heights, map.offset, planes.chroma_height(), map.frame_size},
                    resize, workspace_.chroma_y);
    workspace_.luma.resize(static_cast<std::size_t>(planes.width) + kYccSlack);
    workspace_.chroma.resize(2 * room_);
    workspace_.line.resize(3 * static_cast<std::size_t>(planes.width + workspace_.x.taps) +
                           kLineSlack);
  }

  static std::int32_t first_column() { return 0; }

  const std::uint8_t* blend(int i) {
    blend_to(i, workspace_.line.data());
    return workspace_.line.data();
  }

  // rgb: uint8 [width, 3] <- frame line i, all columns.
  void blend_to(int i, std::uint8_t* rgb) {
    std::int16_t *const cb = workspace_.chroma.data() + kYccSlack, *const cr = cb + room_;
    const Taps taps =
        taps_of(workspace_.chroma_y, i + workspace_.y.first - workspace_.chroma_y.first);
    blend_chroma(planes_.cb, taps, cb);
    blend_chroma(planes_.cr, taps, cr);
    ycc_to_rgb({blended_luma(i), cb, cr, planes_.width, planes_.halved_across, planes_.halved_down},
               rgb);
  }

 private:
  const std::uint8_t* blended_luma(int i) {
    const Taps taps = taps_of(workspace_.y, i);
    const auto* const rows = lines_of(taps, workspace_.rows, [this](std::int32_t row) {
      return planes_.luma.data() + static_cast<std::ptrdiff_t>(row) * planes_.luma_stride();
    });
    if (taps.count == 1) return rows[0];
    kernels().blend_rows(rows, taps.weight, taps.count, static_cast<std::size_t>(planes_.width),
                         workspace_.luma.data());
    return workspace_.luma.data();
  }

  void blend_chroma(const std::vector<std::uint8_t>& plane, const Taps& taps, std::int16_t* out) {
    const std::int32_t width = planes_.chroma_width();
    const auto* const rows = lines_of(taps, workspace_.rows, [&](std::int32_t row) {
      return plane.data() + static_cast<std::ptrdiff_t>(row) * width;
    });
    kernels().blend_to_words(rows, taps.weight, taps.count, static_cast<std::size_t>(width), out);
    repeat_ends(out, width);
  }

  const YccPlanes& planes_;
  ResampleWorkspace& workspace_;
  const std::size_t room_;  // of a chroma line
};

// Writes the frame's lines that show the picture. copied: copied_run of workspace.x.
template <class SourceLines>
void write_lines(SourceLines& lines, const ResampleTarget& target,
                 std::optional<std::int32_t> copied, ResampleWorkspace& workspace) {
  AxisWeights &x = workspace.x, &y = workspace.y;
  if (!copied && x.arranged.empty()) kernels().arrange(x);
  for (int i = 0; i < y.count; ++i) {
    const std::uint8_t* const line = lines.blend(i);
    std::uint8_t* const out = target.pixel(x.first, y.first + i);
    if (copied) {
      std::memcpy(out, line + 3 * (*copied - lines.first_column()),
                  3 * static_cast<std::size_t>(x.count));
    } else {
      kernels().gather(line, x, lines.first_column(), out);
    }
  }
}

void write_planes(const ResampleSource& source, const AxisMap& y_map, LetterboxRule::Resize resize,
                  const ResampleTarget& target, ResampleWorkspace& workspace) {
  PlaneLines lines(*source.planes, y_map, resize, workspace);
  const AxisWeights &x = workspace.x, &y = workspace.y;
  const std::optional<std::int32_t> copied = copied_run(x);
  if (!copied || x.count != source.width) return write_lines(lines, target, copied, workspace);
  for (int i = 0; i < y.count; ++i) lines.blend_to(i, target.pixel(x.first, y.first + i));
}

// Exchanges lines and columns of a square frame, block by block, so that both stay in the cache.
void transpose(std::uint8_t* frame, std::size_t side) {
  constexpr std::size_t kBlock = 16;
  for (std::size_t top = 0; top < side; top += kBlock) {
    for (std::size_t left = 0; left <= top; left += kBlock) {
      for (std::size_t y = top; y < std::min(top + kBlock, side); ++y) {
        for (std::size_t x = left; x < std::min(left + kBlock, y); ++x)
          std::swap_ranges(frame + 3 * (y * side + x), frame + 3 * (y * side + x) + 3,
                           frame + 3 * (x * side + y));
      }
    }
  }
}

}  // namespace

LineRange lines_read(const Affine& map, int side, std::int32_t height) {
  const Affine back = inverse(map);
  double top = 1e18, bottom = -1e18;
  for (const int x : {0, side}) {
    for (const int y : {0, side}) {
      const double at = apply(back, x, y)[1];
      top = std::min(top, at), bottom = std::max(bottom, at);
    }
  }
  // The widest kernel has a radius of two pixels of whichever grid is coarser. A turned picture is
  // reduced first, from one pixel more on each side.
  const double shrink = std::max(1.0, 1 / std::hypot(map.m[1], map.m[4]));
  const double margin = std::ceil(2 * shrink) + 3;
  const auto line = [&](double at) {
    return static_cast<std::int32_t>(std::clamp(at, 0.0, static_cast<double>(height)));
  };
  return {line(std::floor(top - margin)), line(std::ceil(bottom + margin))};
}

void resample(const ResampleSource& source, const Affine& map, const LetterboxRule& rule, int side,
              std::span<std::uint8_t> frame, ResampleWorkspace& workspace) {
  const ResampleTarget target{frame, side, side};
  if (map.m[1] == 0 && map.m[3] == 0)
    return resample_straight(source, map, rule, target, workspace);
  if (map.m[0] != 0 || map.m[4] != 0) return resample_oblique(source, map, rule, target, workspace);
  // A quarter turn is an axis-aligned map followed by an exchange of the frame's axes.
  resample_straight(source, {{map.m[3], 0, map.m[5], 0, map.m[1], map.m[2]}}, rule, target,
                    workspace);
  transpose(frame.data(), static_cast<std::size_t>(side));
}

void resample_straight(const ResampleSource& source, const Affine& map, const LetterboxRule& rule,
                       const ResampleTarget& target, ResampleWorkspace& workspace) {
  AxisWeights &x = workspace.x, &y = workspace.y;
  const AxisMap y_map{map.m[4], map.m[5], source.height, target.height};
  compute_weights({map.m[0], map.m[2], source.width, target.width}, rule.resize, x);
  compute_weights(y_map, rule.resize, y);
  fill_outside(x, y, rule.fill, target);
  if (x.count == 0 || y.count == 0) return;
  if (source.planes) return write_planes(source, y_map, rule.resize, target, workspace);
  RgbLines lines(source, workspace);
  write_lines(lines, target, copied_run(x), workspace);
}

}  // namespace letterpress
