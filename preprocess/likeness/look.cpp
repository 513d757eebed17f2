#include "preprocess/likeness/look.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

namespace letterpress {
namespace {

constexpr std::array<std::size_t, kLookLevels> kCornersOfLevel{20, 12, 8};
constexpr int kPatch = 11;      // pixels: how far from its corner a patch reaches
constexpr int kApart = 4;       // pixels: no corner is this close to a stronger one
constexpr int kLeastEdge = 12;  // of the Sobel operator's sums: weaker corners are noise

struct Offset {
  int x, y;
};

// Pairs of places of a patch, near its middle more often; drawn once, by a generator of our own so
// that they are the same for good (SplitMix64, Steele et al., OOPSLA 2014).
std::array<std::array<Offset, 2>, 64> make_places() {
  std::uint64_t state = 20240611;
  const auto next = [&] {
    std::uint64_t z = state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  };
  const auto coordinate = [&] {
    int sum = 0;  // of three uniform ones: bell-shaped
    for (int i = 0; i < 3; ++i) sum += static_cast<int>(next() % 15) - 7;
    return std::clamp(sum, -kPatch + 2, kPatch - 2);
  };
  std::array<std::array<Offset, 2>, 64> places{};
  for (auto& pair : places) {
    do {
      for (Offset& place : pair) place = {coordinate(), coordinate()};
    } while (std::abs(pair[0].x - pair[1].x) + std::abs(pair[0].y - pair[1].y) < 4);
  }
  return places;
}

cv::Mat grey_of(const LookedAt& picture) {
  cv::Mat grey(picture.height, picture.width, CV_8U);
  for (int y = 0; y < picture.height; ++y) {
    const auto first =
        static_cast<std::size_t>(picture.y + y) * static_cast<std::size_t>(picture.stride) +
        static_cast<std::size_t>(picture.x);
    const std::uint8_t* pixel = &picture.rgb[first * 3];
    std::uint8_t* const row = grey.ptr(y);
    for (int x = 0; x < picture.width; ++x, pixel += 3)
      row[x] = static_cast<std::uint8_t>((77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2]) >> 8);
  }
  return grey;
}

cv::Mat halved(const cv::Mat& grey) {
  cv::Mat half(std::max(1, grey.rows / 2), std::max(1, grey.cols / 2), CV_8U);
  for (int y = 0; y < half.rows; ++y) {
    const std::uint8_t* const upper = grey.ptr(std::min(2 * y, grey.rows - 1));
    const std::uint8_t* const lower = grey.ptr(std::min(2 * y + 1, grey.rows - 1));
    for (int x = 0; x < half.cols; ++x) {
      const int right = std::min(2 * x + 1, grey.cols - 1);
      half.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>(
          (upper[2 * x] + upper[right] + lower[2 * x] + lower[right] + 2) / 4);
    }
  }
  return half;
}

cv::Mat thumbnail(cv::Mat grey) {
  while (std::max(grey.cols, grey.rows) >= 2 * kThumbnail) grey = halved(grey);
  const int longer = std::max(grey.cols, grey.rows);
  const auto side = [&](int length) {
    return std::max(1, (length * kThumbnail + longer / 2) / longer);
  };
  cv::Mat small;
  cv::resize(grey, small, {side(grey.cols), side(grey.rows)}, 0, 0, cv::INTER_LINEAR_EXACT);
  return small;
}

struct Strong {
  std::int64_t strength;
  int x, y;
};

// Whole numbers, one for each pixel.
struct Field {
  int width, height;
  std::vector<std::int64_t> values;

  Field(int columns, int rows)
      : width(columns),
        height(rows),
        values(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}
  std::int64_t& at(int x, int y) {
    return values[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
  std::int64_t at(int x, int y) const { return const_cast<Field*>(this)->at(x, y); }
};

// Of a * b over 5 x 5 pixels; whole numbers below 2^25.
cv::Mat sums_of_products(const cv::Mat& a, const cv::Mat& b) {
  cv::Mat sums;
  cv::boxFilter(a.mul(b), sums, CV_32S, {5, 5}, {-1, -1}, false);
  return sums;
}

// Harris' response, 0 where an edge is not above the noise.
Field responses(const cv::Mat& grey) {
  cv::Mat dx, dy;
  cv::Sobel(grey, dx, CV_16S, 1, 0);
  cv::Sobel(grey, dy, CV_16S, 0, 1);
  dx.convertTo(dx, CV_32S);
  dy.convertTo(dy, CV_32S);
  const cv::Mat xx = sums_of_products(dx, dx), yy = sums_of_products(dy, dy),
                xy = sums_of_products(dx, dy);
  Field result(grey.cols, grey.rows);
  for (int y = 0; y < grey.rows; ++y) {
    for (int x = 0; x < grey.cols; ++x) {
      const std::int64_t a = xx.at<int>(y, x), b = yy.at<int>(y, x), c = xy.at<int>(y, x);
      if (std::min(a, b) < 25 * kLeastEdge * kLeastEdge) continue;
      result.at(x, y) = std::max<std::int64_t>(0, a * b - c * c - (a + b) * (a + b) / 16);
    }
  }
  return result;
}

bool is_largest(const Field& response, int x, int y) {
  for (int j = -1; j <= 1; ++j) {
    for (int i = -1; i <= 1; ++i) {
      if (response.at(x + i, y + j) > response.at(x, y)) return false;
    }
  }
  return response.at(x, y) > 0;
}

// The strongest, none too close to a stronger one.
std::vector<Strong> corners_of(const cv::Mat& grey, std::size_t most) {
  if (grey.rows <= 2 * kPatch || grey.cols <= 2 * kPatch) return {};
  const Field response = responses(grey);
  std::vector<Strong> all, kept;
  for (int y = kPatch; y < grey.rows - kPatch; ++y) {
    for (int x = kPatch; x < grey.cols - kPatch; ++x) {
      if (is_largest(response, x, y)) all.push_back({response.at(x, y), x, y});
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Strong::strength);
  for (const Strong& corner : all) {
    const bool apart = std::ranges::none_of(kept, [&](const Strong& other) {
      return std::max(std::abs(other.x - corner.x), std::abs(other.y - corner.y)) <= kApart;
    });
    if (apart) kept.push_back(corner);
    if (kept.size() == most) break;
  }
  return kept;
}

std::uint64_t bits_of(const cv::Mat& smooth, int x, int y) {
  static const auto places = make_places();
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& [a, b] = places[i];
    if (smooth.at<std::uint8_t>(y + a.y, x + a.x) < smooth.at<std::uint8_t>(y + b.y, x + b.x))
      bits |= std::uint64_t{1} << i;
  }
  return bits;
}

}  // namespace

Look look_at(const LookedAt& picture) {
  Look look;
  cv::Mat grey = thumbnail(grey_of(picture));
  const int width = grey.cols, height = grey.rows;
  for (int level = 0; level < kLookLevels; ++level) {
    if (level > 0) {
      cv::Mat smaller;
      cv::resize(grey, smaller, {std::max(1, grey.cols * 4 / 5), std::max(1, grey.rows * 4 / 5)}, 0,
                 0, cv::INTER_LINEAR_EXACT);
      grey = smaller;
    }
    cv::Mat fine, smooth;
    cv::GaussianBlur(grey, fine, {5, 5}, 1.0);
    cv::GaussianBlur(grey, smooth, {7, 7}, 2.0);
    for (const Strong& corner :
         corners_of(fine, kCornersOfLevel[static_cast<std::size_t>(level)])) {
      look.push_back({.bits = bits_of(smooth, corner.x, corner.y),
                      .x = static_cast<std::uint8_t>(corner.x * width / grey.cols),
                      .y = static_cast<std::uint8_t>(corner.y * height / grey.rows),
                      .level = static_cast<std::uint8_t>(level)});
    }
  }
  return look;
}

}  // namespace letterpress
