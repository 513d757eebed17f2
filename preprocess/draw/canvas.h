#pragma once
#include <opencv2/core/types.hpp>
#include <string>
#include <string_view>

namespace letterpress {

/// The text in ASCII, one '?' for each other character of its UTF-8: the stroke fonts have no more.
std::string to_ascii(std::string_view utf8);

/// The largest beginning of `text` (ASCII) that is at most `width` pixels wide, with ".." where
/// something was left out.
std::string fitting_text(const std::string& text, int width, double scale);

/// RGB of a class: neighbouring indices differ in hue, all are bright.
cv::Scalar class_colour(int colour_index);

}  // namespace letterpress
