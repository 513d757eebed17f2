#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "letterpress/shards/letterbox.h"
#include "preprocess/pictures/ycc.h"

namespace letterpress {

/// Memory that begins where a cache line does, so that no load of a whole register needs two lines.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  CacheLineAllocator() = default;
  template <class U>
  explicit CacheLineAllocator(const CacheLineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kLine); }
  bool operator==(const CacheLineAllocator&) const = default;
};

/// One axis of a map frame = scale * source + offset.
struct AxisMap {
  double scale = 1;  ///< not 0; negative mirrors
  double offset = 0;
  int source_size = 0, frame_size = 0;  ///< pixels
  bool operator==(const AxisMap&) const = default;
};

/// Weights of source pixels for a run of frame pixels along one axis. Integers, so that every CPU
/// gives the same bytes.
struct AxisWeights {
  AxisMap map;  ///< with `resize`: what they were computed for
  LetterboxRule::Resize resize = LetterboxRule::Resize::linear;
  int first = 0, count = 0;  ///< the frame pixels with their centres in the picture
  int taps = 0;  ///< source pixels per frame pixel, even; weight 0 for those beyond the picture
  std::vector<std::int32_t> start;   ///< [count] first source pixel of each
  std::vector<std::int16_t> weight;  ///< [count, taps] in 1/16384; each row's sum is 16384
  /// The same in the order of the CPU's loop, or empty.
  std::vector<std::int16_t, CacheLineAllocator<std::int16_t>> arranged;
};

/// A linear map that shrinks by less interpolates as it is; one that shrinks by more averages.
inline constexpr double kShrinkOfPlainLinear = 1.5;

/// Convolution weights as in Pillow's resize (Image.resize with BILINEAR or BICUBIC, a = -0.5):
/// centres at i + 0.5, the kernel widened by the shrinking factor, weights renormalised at the
/// borders. Unlike Pillow's, linear is widened only if it shrinks by more than
/// kShrinkOfPlainLinear. Weights that are of this map already stay as they are: most pictures of a
/// set have one size.
void compute_weights(const AxisMap& map, LetterboxRule::Resize resize, AxisWeights& weights);

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
