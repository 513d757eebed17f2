#include "preprocess/likeness/agreement.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <climits>
#include <cstdlib>

#include "letterpress/base/cpu.h"

namespace letterpress {
namespace {

constexpr int kNear = 4;       // pixels of the thumbnail: where a corner is after shift and scale
constexpr int kFarApart = 24;  // pixels: two corners that are closer say little about the scale

// Each corner of `a` with the one of `b` that is most like it: where they are.
struct Matches {
  std::array<int, kLookCorners> ax, ay, bx, by;
  std::size_t n = 0;
};

using Bits = std::array<std::uint64_t, kLookCorners>;
static_assert(kLookCorners % 4 == 0 && kLookCorners <= 256);

// Of the first n of `others`: in how many bits the one that is most like `bits` differs, times 256,
// and its place, the first of several. All of others can be read.
using Nearest = std::uint32_t (*)(std::uint64_t bits, const Bits& others, std::size_t n);

// std::popcount, written so that several are counted side by side (Warren, Hacker's Delight, 5-1).
[[gnu::always_inline]] inline std::uint64_t count_bits(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F;
  bits += bits >> 8;
  bits += bits >> 16;
  return (bits + (bits >> 32)) & 127;
}

std::uint32_t nearest_in_sse2(std::uint64_t bits, const Bits& others, std::size_t n) {
  std::array<std::uint32_t, kLookCorners> found;
  for (std::size_t j = 0; j < n; ++j)
    found[j] = static_cast<std::uint32_t>(count_bits(bits ^ others[j]) << 8 | j);
  return *std::min_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n));
}

// Bits are counted four at a time in a table of sixteen (Mula et al., arXiv:1611.07612).
[[gnu::target("avx2")]] std::uint32_t nearest_in_avx2(std::uint64_t bits, const Bits& others,
                                                      std::size_t n) {
  const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                          2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_set1_epi8(15), mine = _mm256_set1_epi64x(static_cast<long long>(bits));
  __m256i place = _mm256_setr_epi64x(0, 1, 2, 3), best = _mm256_set1_epi64x(0xFFFF);
  for (std::size_t j = 0; j < n; j += 4) {
    const __m256i theirs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&others[j]));
    const __m256i off = _mm256_xor_si256(mine, theirs);
    const __m256i lower = _mm256_shuffle_epi8(counts, _mm256_and_si256(off, low));
    const __m256i upper =
        _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(off, 4), low));
    const __m256i sums = _mm256_sad_epu8(_mm256_add_epi8(lower, upper), _mm256_setzero_si256());
    best = _mm256_min_epu32(best, _mm256_or_si256(_mm256_slli_epi64(sums, 8), place));
    place = _mm256_add_epi64(place, _mm256_set1_epi64x(4));
  }
  std::array<std::uint32_t, 8> four;  // each other one is 0
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(four.data()), best);
  return std::min({four[0], four[2], four[4], four[6]});
}

// Ends early when there cannot be more than `too_few`.
[[gnu::always_inline]] inline void match(const Look& a, const Look& b, std::size_t too_few,
                                         Nearest nearest, Matches& matches) {
  if (b.empty()) return;
  Bits bits;
  for (std::size_t j = 0; j < bits.size(); ++j) bits[j] = b[std::min(j, b.size() - 1)].bits;
  for (std::size_t k = 0; k < a.size() && matches.n + a.size() - k > too_few; ++k) {
    const std::uint32_t best = nearest(a[k].bits, bits, b.size());
    if (best >= (kCornerBits + 1) << 8) continue;
    const Corner& other = b[best & 255];
    const std::size_t i = matches.n++;
    matches.ax[i] = a[k].x, matches.ay[i] = a[k].y;
    matches.bx[i] = other.x, matches.by[i] = other.y;
  }
}

// x of b = scale * x of a + shift, in 256ths of a pixel.
struct Transform {
  int scale = 256, dx = 0, dy = 0;
};

// No transform that puts `one` exactly right puts more matches right than this: where it does so
// with match j, the direction from `one` to j differs by kNear at j's end at most, both ways.
[[gnu::always_inline]] inline int most_put(const Matches& matches, std::size_t one) {
  const int ax = matches.ax[one], ay = matches.ay[one], bx = matches.bx[one], by = matches.by[one];
  constexpr float kOff = 2.1f * kNear * kNear;  // rounding up: twice the square of kNear
  int most = 0;
  for (std::size_t j = 0; j < matches.n; ++j) {
    const int u = matches.ax[j] - ax, v = matches.ay[j] - ay;
    const int x = matches.bx[j] - bx, y = matches.by[j] - by;
    const int square = u * u + v * v, dot = u * x + v * y;
    const auto off = static_cast<float>(u * y - v * x);
    const int may_be_put = (off * off <= kOff * static_cast<float>(square)) & (dot > 0);
    most += may_be_put | static_cast<int>(square < kFarApart * kFarApart);
  }
  return most;
}

// scales[j], for j behind `one`: by which both matches say that `a` lies in `b`, in 256ths; 0 when
// they cannot.
[[gnu::always_inline]] inline void find_scales(const Matches& matches, std::size_t one,
                                               int* scales) {
  const int ax = matches.ax[one], ay = matches.ay[one], bx = matches.bx[one], by = matches.by[one];
  for (std::size_t j = one + 1; j < matches.n; ++j) {
    const int u = matches.ax[j] - ax, v = matches.ay[j] - ay;
    const int square = u * u + v * v;
    const int dot = u * (matches.bx[j] - bx) + v * (matches.by[j] - by);
    // least squares; doubles, exact here, are divided side by side
    const int scale = static_cast<int>(256.0 * dot / (square + (square == 0)));
    scales[j] = scale * ((square >= kFarApart * kFarApart) & (scale >= 128) & (scale <= 512));
  }
}

// How many matches the transform puts right.
[[gnu::always_inline]] inline int count_put(const Matches& matches, const Transform& transform) {
  constexpr unsigned kOff = 256 * kNear;
  int n = 0;
  for (std::size_t i = 0; i < matches.n; ++i) {
    const int x = transform.scale * matches.ax[i] + transform.dx - 256 * matches.bx[i];
    const int y = transform.scale * matches.ay[i] + transform.dy - 256 * matches.by[i];
    n += (static_cast<unsigned>(x) + kOff <= 2 * kOff) &
         (static_cast<unsigned>(y) + kOff <= 2 * kOff);
  }
  return n;
}

// The same, but two corners of `a` at one place, or two of one place in `b`, count once.
int count_once(const Matches& matches, const Transform& transform) {
  int n = 0;
  std::uint64_t seen_a[kThumbnail / 4 + 1] = {}, seen_b[kThumbnail / 4 + 1] = {};
  for (std::size_t i = 0; i < matches.n; ++i) {
    const int x = transform.scale * matches.ax[i] + transform.dx - 256 * matches.bx[i];
    const int y = transform.scale * matches.ay[i] + transform.dy - 256 * matches.by[i];
    if (std::abs(x) > 256 * kNear || std::abs(y) > 256 * kNear) continue;
    std::uint64_t& row_a = seen_a[matches.ay[i] / 4];
    std::uint64_t& row_b = seen_b[matches.by[i] / 4];
    const std::uint64_t at_a = std::uint64_t{1} << (matches.ax[i] / 4),
                        at_b = std::uint64_t{1} << (matches.bx[i] / 4);
    if ((row_a & at_a) != 0 || (row_b & at_b) != 0) continue;
    row_a |= at_a, row_b |= at_b, ++n;
  }
  return n;
}

struct Rectangle {
  int left = INT_MAX, top = INT_MAX, right = INT_MIN, bottom = INT_MIN;

  void add(int x, int y) {
    left = std::min(left, x), top = std::min(top, y);
    right = std::max(right, x), bottom = std::max(bottom, y);
  }
  std::int64_t area() const {
    return std::int64_t{std::max(0, right - left)} * std::max(0, bottom - top);
  }
};

// Of a look's picture, in 256ths of a pixel. A look does not say how long the shorter side is:
// three quarters of the longer, unless it has corners beyond.
Rectangle frame_of(const Look& look) {
  constexpr int kShorter = kThumbnail * 3 / 4;
  Rectangle corners;
  for (const Corner& corner : look) corners.add(corner.x, corner.y);
  const bool is_upright = corners.right < kShorter && corners.bottom >= kShorter;
  const bool is_square = corners.right >= kShorter && corners.bottom >= kShorter;
  const int width = is_upright ? kShorter : kThumbnail;
  const int height = is_upright || is_square ? kThumbnail : kShorter;
  return {0, 0, 256 * width, 256 * height};
}

// Of what both pictures show, the percentage that lies in the rectangle around the corners that
// the transform puts right. What both show counts as half of the smaller picture at least: a small
// part is soon filled by one object.
int percent_spanned(const Look& a, const Look& b, const Matches& matches,
                    const Transform& transform) {
  Rectangle corners;
  for (std::size_t i = 0; i < matches.n; ++i) {
    const int x = transform.scale * matches.ax[i] + transform.dx;
    const int y = transform.scale * matches.ay[i] + transform.dy;
    if (std::abs(x - 256 * matches.bx[i]) <= 256 * kNear &&
        std::abs(y - 256 * matches.by[i]) <= 256 * kNear)
      corners.add(x, y);
  }
  const Rectangle frame = frame_of(b);
  Rectangle other = frame_of(a);  // as it lies in b
  other = {transform.dx, transform.dy, transform.scale * (other.right / 256) + transform.dx,
           transform.scale * (other.bottom / 256) + transform.dy};
  const Rectangle shared{std::max(other.left, 0), std::max(other.top, 0),
                         std::min(other.right, frame.right), std::min(other.bottom, frame.bottom)};
  const std::int64_t half = std::min(frame.area(), other.area()) / 2;
  return static_cast<int>(100 * corners.area() / std::max(shared.area(), half));
}

[[gnu::always_inline]] inline Agreement agreeing(const Look& a, const Look& b, int least,
                                                 Nearest nearest) {
  Matches matches;
  int best = std::max(0, least - 1);
  Transform right;
  match(a, b, static_cast<std::size_t>(best), nearest, matches);
  if (static_cast<int>(matches.n) <= best) return {best, 0};
  std::array<int, kLookCorners> scales;
  for (std::size_t i = 0; i < matches.n; ++i) {
    if (most_put(matches, i) <= best) continue;
    find_scales(matches, i, scales.data());
    for (std::size_t j = i + 1; j < matches.n; ++j) {
      if (scales[j] == 0) continue;
      const Transform transform{scales[j], 256 * matches.bx[i] - scales[j] * matches.ax[i],
                                256 * matches.by[i] - scales[j] * matches.ay[i]};
      if (count_put(matches, transform) <= best) continue;
      const int once = count_once(matches, transform);
      if (once > best) best = once, right = transform;
    }
  }
  return {best, best < least ? 0 : percent_spanned(a, b, matches, right)};
}

using Agreeing = Agreement (*)(const Look& a, const Look& b, int least);

Agreement agreeing_in_sse2(const Look& a, const Look& b, int least) {
  return agreeing(a, b, least, nearest_in_sse2);
}
[[gnu::target("avx2")]] Agreement agreeing_in_avx2(const Look& a, const Look& b, int least) {
  return agreeing(a, b, least, nearest_in_avx2);
}

}  // namespace

bool Agreement::is_of_one_scene() const {
  constexpr int kSpanned = 15;       // percent
  constexpr int kManyAgreeing = 16;  // more than an object has
  return corners >= kAgreeing && (percent >= kSpanned || corners >= kManyAgreeing);
}

Agreement agreeing_corners(const Look& a, const Look& b, int least) {
  static const Agreeing count = runs_avx2() ? agreeing_in_avx2 : agreeing_in_sse2;
  assert(a.size() <= kLookCorners);
  return count(a, b, least);
}

}  // namespace letterpress
