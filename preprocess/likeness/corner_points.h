#pragma once
#include <cstddef>
#include <opencv2/core.hpp>
#include <vector>

namespace letterpress {

/// How far a corner is from the edges at least, pixels: what surrounds it lies in the picture.
inline constexpr int kPatch = 11;

/// The strongest corners (Harris and Stephens, 1988), at most `most`, the strongest first, none
/// within 4 pixels of a stronger one. grey: uint8. The same on every machine: sums are whole
/// numbers, and responses are doubles that are never contracted.
std::vector<cv::Point> corner_points(const cv::Mat& grey, std::size_t most);

}  // namespace letterpress
