#include "preprocess/likeness/blur.h"

#include <doctest/doctest.h>

#include <opencv2/imgproc.hpp>
#include <random>

namespace letterpress {

TEST_CASE("a blurred picture has the bytes of OpenCV's GaussianBlur, whatever its size") {
  std::mt19937 engine(7);
  for (const auto& [width, height] :
       {std::pair{160, 120}, {102, 160}, {33, 1}, {1, 40}, {4, 5}, {2, 2}, {1, 1}}) {
    CAPTURE(width);
    CAPTURE(height);
    cv::Mat grey(height, width, CV_8U), fine, smooth;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x)
        grey.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>(engine() % 256);
    }
    cv::GaussianBlur(grey, fine, {5, 5}, 1);
    cv::GaussianBlur(grey, smooth, {7, 7}, 2);
    CHECK(cv::norm(fine, blurred(grey, kGauss1), cv::NORM_INF) == 0);
    CHECK(cv::norm(smooth, blurred(grey, kGauss2), cv::NORM_INF) == 0);
  }
}

}  // namespace letterpress
