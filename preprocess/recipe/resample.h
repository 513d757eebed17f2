#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "letterpress/shards/letterbox.h"
#include "preprocess/pictures/ycc.h"
#include "preprocess/recipe/axis_weights.h"

namespace letterpress {

/// Memory kept between calls, one per thread.
struct ResampleWorkspace {
  AxisWeights x, y, chroma_y;
  std::vector<const std::uint8_t*> rows;
  std::vector<std::uint8_t> line, luma;
  std::vector<std::int16_t> chroma;
  std::vector<std::uint8_t> reduced;  ///< the visible part, made smaller before it is turned
};

/// A picture to be resampled. rgb: uint8 [height, width, 3], or some of these lines, from
/// first_line on: those that the frame shows.
struct ResampleSource {
  std::span<const std::uint8_t> rgb;
  std::int32_t width = 0, height = 0;
  /// If there are any, they are resampled, rgb is not read and the map must not turn. Lines are
  /// blended as planes, in 4:2:0 half the bytes of RGB, and only the frame's lines become RGB
  /// instead of the picture's.
  const YccPlanes* planes = nullptr;
  std::int32_t first_line = 0;

  const std::uint8_t* pixel(std::int64_t x, std::int64_t y) const {
    return rgb.data() + 3 * ((y - first_line) * width + x);
  }
};

struct LineRange;
/// Lines of a picture of `height` lines that resample() reads for a frame under a map, and a few
/// more. Empty where the frame does not show the picture. Throws Error if the map is singular.
LineRange lines_read(const Affine& picture_to_frame, int side, std::int32_t height);

/// Where the result goes. rgb: uint8 [height, width, 3].
struct ResampleTarget {
  std::span<std::uint8_t> rgb;
  int width = 0, height = 0;
  std::uint8_t* pixel(int x, int y) const {
    return rgb.data() + 3 * (static_cast<std::ptrdiff_t>(y) * width + x);
  }
};

/// frame, uint8 [side, side, 3] <- the picture under a map from its pixels to frame pixels, `fill`
/// beside it. A frame pixel shows the picture if its centre lies in it; only what is visible is
/// computed. Integer arithmetic: same bytes on every CPU. Maps that scale, mirror and turn by
/// quarters use the separable kernel of the rule. Other maps turn or shear: they first reduce the
/// visible part along each axis that shrinks by more than kShrinkOfPlainLinear, then interpolate it
/// linearly, whatever the rule. Throws Error if the map is singular.
void resample(const ResampleSource& source, const Affine& picture_to_frame,
              const LetterboxRule& rule, int side, std::span<std::uint8_t> frame,
              ResampleWorkspace& workspace);

/// The separable part: an axis-aligned map (m[1] = m[3] = 0).
void resample_straight(const ResampleSource& source, const Affine& map, const LetterboxRule& rule,
                       const ResampleTarget& target, ResampleWorkspace& workspace);
/// The oblique part: any map that can be inverted.
void resample_oblique(const ResampleSource& source, const Affine& map, const LetterboxRule& rule,
                      const ResampleTarget& target, ResampleWorkspace& workspace);

}  // namespace letterpress
