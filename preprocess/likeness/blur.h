#pragma once
#include <cstdint>
#include <opencv2/core.hpp>
#include <span>

namespace letterpress {

/// 256ths of the Gaussian of sigma 1 and 2.
inline constexpr std::uint16_t kGauss1[]{14, 62, 104, 62, 14},
    kGauss2[]{18, 34, 48, 56, 48, 34, 18};

/// grey, uint8, folded with the weights across and down; the edges are mirrors. The bytes equal
/// those of OpenCV's GaussianBlur, which takes several times as long for a picture of 160 pixels.
/// weights: an odd number of them that add up to 256.
cv::Mat blurred(const cv::Mat& grey, std::span<const std::uint16_t> weights);

}  // namespace letterpress
