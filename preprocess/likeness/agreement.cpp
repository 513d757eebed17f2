#include "preprocess/likeness/agreement.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace letterpress {
namespace {

constexpr int kNear = 4;       // pixels of the thumbnail: where a corner is after shift and scale
constexpr int kFarApart = 24;  // pixels: two corners that are closer say little about the scale

struct Match {
  const Corner *a, *b;
};

// Each corner of `a` with the one of `b` that is most like it.
std::vector<Match> matches_of(const Look& a, const Look& b) {
  std::vector<Match> matches;
  for (const Corner& corner : a) {
    const Corner* best = nullptr;
    int least = kCornerBits + 1;
    for (const Corner& other : b) {
      const int bits = std::popcount(corner.bits ^ other.bits);
      if (bits < least) least = bits, best = &other;
    }
    if (best != nullptr) matches.push_back({&corner, best});
  }
  return matches;
}

// x of b = scale * x of a + shift, in 256ths of a pixel.
struct Transform {
  int scale = 256, dx = 0, dy = 0;

  bool puts(const Match& match) const {
    return std::abs(scale * match.a->x + dx - 256 * match.b->x) <= 256 * kNear &&
           std::abs(scale * match.a->y + dy - 256 * match.b->y) <= 256 * kNear;
  }
};

// By which two matches say that `a` lies in `b`; scale 0 when they cannot.
Transform transform_of(const Match& one, const Match& other) {
  const int ax = other.a->x - one.a->x, ay = other.a->y - one.a->y;
  const int bx = other.b->x - one.b->x, by = other.b->y - one.b->y;
  const int a_square = ax * ax + ay * ay;
  if (a_square < kFarApart * kFarApart) return {.scale = 0};
  const int scale = 256 * (ax * bx + ay * by) / a_square;  // least squares
  if (scale < 128 || scale > 512) return {.scale = 0};
  return {scale, 256 * one.b->x - scale * one.a->x, 256 * one.b->y - scale * one.a->y};
}

// Two corners of `a` at one place, or two of one place in `b`, count once.
int count_put(const std::vector<Match>& matches, const Transform& transform) {
  int n = 0;
  std::uint64_t seen_a[kThumbnail / 4 + 1] = {}, seen_b[kThumbnail / 4 + 1] = {};
  for (const Match& match : matches) {
    if (!transform.puts(match)) continue;
    std::uint64_t& row_a = seen_a[match.a->y / 4];
    std::uint64_t& row_b = seen_b[match.b->y / 4];
    const std::uint64_t at_a = std::uint64_t{1} << (match.a->x / 4),
                        at_b = std::uint64_t{1} << (match.b->x / 4);
    if ((row_a & at_a) != 0 || (row_b & at_b) != 0) continue;
    row_a |= at_a, row_b |= at_b, ++n;
  }
  return n;
}

}  // namespace

int agreeing_corners(const Look& a, const Look& b) {
  const std::vector<Match> matches = matches_of(a, b);
  int best = 0;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    for (std::size_t j = i + 1; j < matches.size(); ++j) {
      const Transform transform = transform_of(matches[i], matches[j]);
      if (transform.scale != 0) best = std::max(best, count_put(matches, transform));
    }
  }
  return best;
}

}  // namespace letterpress
