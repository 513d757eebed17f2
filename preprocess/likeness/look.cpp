#include "preprocess/likeness/look.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <opencv2/imgproc.hpp>

#include "letterpress/base/split_mix.h"
#include "preprocess/likeness/blur.h"
#include "preprocess/likeness/corner_points.h"

namespace letterpress {
namespace {

constexpr std::array<std::size_t, kLookLevels> kCornersOfLevel{20, 12, 8};

struct Offset {
  int x, y;
};

// Pairs of places of a patch, near its middle more often; drawn once, by a generator of our own so
// that they are the same for good.
std::array<std::array<Offset, 2>, 64> make_places() {
  std::uint64_t state = 20240611;
  const auto next = [&] { return mixed(state += kSplitMixStep); };
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
    const cv::Mat fine = blurred(grey, kGauss1), smooth = blurred(grey, kGauss2);
    for (const cv::Point& corner :
         corner_points(fine, kCornersOfLevel[static_cast<std::size_t>(level)])) {
      look.push_back({.bits = bits_of(smooth, corner.x, corner.y),
                      .x = static_cast<std::uint8_t>(corner.x * width / grey.cols),
                      .y = static_cast<std::uint8_t>(corner.y * height / grey.rows),
                      .level = static_cast<std::uint8_t>(level)});
    }
  }
  return look;
}

}  // namespace letterpress
