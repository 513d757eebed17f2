#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "letterpress/shards/letterbox.h"

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

}  // namespace letterpress
