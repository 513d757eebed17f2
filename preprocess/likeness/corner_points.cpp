#include "preprocess/likeness/corner_points.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "letterpress/base/cpu.h"

namespace letterpress {
namespace {

constexpr int kApart = 4;          // pixels: no corner is this close to a stronger one
constexpr int kLeastEdge = 12;     // of the Sobel operator's sums: weaker corners are noise
constexpr int kReach = 2;          // pixels: sums are over 5 x 5
constexpr int kFrom = kPatch - 1;  // the first row and column with a response

struct Peak {
  double strength;
  cv::Point place;
};

// Of the Sobel operator's results, in one row or summed over five.
struct Sums {
  std::vector<std::int32_t> xx, yy, xy;

  explicit Sums(std::size_t n) : xx(n), yy(n), xy(n) {}
};

// The Sobel operator at every pixel but those of the edge, whose values are never asked for.
[[gnu::always_inline]] inline void slope(const cv::Mat& grey, cv::Mat& dx, cv::Mat& dy) {
  for (int y = 1; y < grey.rows - 1; ++y) {
    const std::uint8_t *const up = grey.ptr(y - 1), *const at = grey.ptr(y),
                              *const down = grey.ptr(y + 1);
    std::int16_t *const across = dx.ptr<std::int16_t>(y), *const along = dy.ptr<std::int16_t>(y);
    for (int x = 1; x < grey.cols - 1; ++x) {
      across[x] = static_cast<std::int16_t>(up[x + 1] - up[x - 1] + 2 * (at[x + 1] - at[x - 1]) +
                                            down[x + 1] - down[x - 1]);
      along[x] = static_cast<std::int16_t>(down[x - 1] - up[x - 1] + 2 * (down[x] - up[x]) +
                                           down[x + 1] - up[x + 1]);
    }
  }
}

// sums += sign * the products of one row.
[[gnu::always_inline]] inline void add_row(const std::int16_t* dx, const std::int16_t* dy, int n,
                                           std::int32_t sign, Sums& sums) {
  std::int32_t *const xx = sums.xx.data(), *const yy = sums.yy.data(), *const xy = sums.xy.data();
  for (int i = 0; i < n; ++i) {
    const std::int32_t x = dx[i], y = dy[i];
    xx[i] += sign * x * x;
    yy[i] += sign * y * y;
    xy[i] += sign * x * y;
  }
}

[[gnu::always_inline]] inline std::int32_t sum_of_five(const std::int32_t* values) {
  return values[-2] + values[-1] + values[0] + values[1] + values[2];
}

// Harris' response, 0 where an edge is not above the noise. All numbers are below 2^53.
[[gnu::always_inline]] inline void respond(const Sums& sums, int width, double* response) {
  constexpr int kLeast = 25 * kLeastEdge * kLeastEdge;
  const std::int32_t *const xx = sums.xx.data(), *const yy = sums.yy.data(),
                            *const xy = sums.xy.data();
  for (int x = kFrom; x < width - kFrom; ++x) {
    const std::int32_t a = sum_of_five(xx + x), b = sum_of_five(yy + x), c = sum_of_five(xy + x);
    const double aa = a, bb = b, cc = c, strong = (a >= kLeast) & (b >= kLeast);
    response[x] = (aa * bb - cc * cc - (aa + bb) * (aa + bb) / 16) * strong;
  }
}

// largest[x]: of three beside each other in three rows.
[[gnu::always_inline]] inline void find_largest(const std::array<const double*, 3>& rows, int width,
                                                double* largest) {
  for (int x = kPatch; x < width - kPatch; ++x) {
    double most = 0;
    for (const double* row : rows) {
      most = most < row[x - 1] ? row[x - 1] : most;
      most = most < row[x] ? row[x] : most;
      most = most < row[x + 1] ? row[x + 1] : most;
    }
    largest[x] = most;
  }
}

// Places whose response is above 0 and not below any of the eight beside it, by rows.
[[gnu::always_inline]] inline void find(const cv::Mat& grey, std::vector<Peak>& found) {
  const int width = grey.cols, height = grey.rows;
  cv::Mat dx(height, width, CV_16S, cv::Scalar(0)), dy(height, width, CV_16S, cv::Scalar(0));
  slope(grey, dx, dy);
  const auto n = static_cast<std::size_t>(width);
  Sums sums(n);
  const auto add = [&](int y, std::int32_t sign) __attribute__((always_inline)) {
    add_row(dx.ptr<std::int16_t>(y), dy.ptr<std::int16_t>(y), width, sign, sums);
  };
  for (int y = kFrom - kReach; y < kFrom + kReach; ++y) add(y, 1);
  std::array<std::vector<double>, 3> responses;
  for (std::vector<double>& row : responses) row.resize(n);
  std::vector<double> largest(n);
  const auto row_of = [&](int y) { return responses[static_cast<std::size_t>(y % 3)].data(); };
  for (int y = kFrom; y < height - kFrom; ++y) {
    add(y + kReach, 1);
    respond(sums, width, row_of(y));
    add(y - kReach, -1);
    if (y < kFrom + 2) continue;
    const double* const middle = row_of(y - 1);
    find_largest({row_of(y - 2), middle, row_of(y)}, width, largest.data());
    for (int x = kPatch; x < width - kPatch; ++x) {
      if (middle[x] > 0 && middle[x] >= largest[static_cast<std::size_t>(x)])
        found.push_back({middle[x], {x, y - 1}});
    }
  }
}

using Find = void (*)(const cv::Mat& grey, std::vector<Peak>& found);

void find_in_sse2(const cv::Mat& grey, std::vector<Peak>& found) { find(grey, found); }
[[gnu::target("avx2")]] void find_in_avx2(const cv::Mat& grey, std::vector<Peak>& found) {
  find(grey, found);
}

}  // namespace

std::vector<cv::Point> corner_points(const cv::Mat& grey, std::size_t most) {
  static const Find find_all = runs_avx2() ? find_in_avx2 : find_in_sse2;
  std::vector<cv::Point> kept;
  if (grey.rows <= 2 * kPatch || grey.cols <= 2 * kPatch) return kept;
  std::vector<Peak> all;
  find_all(grey, all);
  std::ranges::stable_sort(all, std::ranges::greater(), &Peak::strength);
  for (const Peak& peak : all) {
    const bool apart = std::ranges::none_of(kept, [&](const cv::Point& other) {
      return std::max(std::abs(other.x - peak.place.x), std::abs(other.y - peak.place.y)) <= kApart;
    });
    if (apart) kept.push_back(peak.place);
    if (kept.size() == most) break;
  }
  return kept;
}

}  // namespace letterpress
