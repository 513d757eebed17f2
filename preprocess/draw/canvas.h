#pragma once
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "preprocess/draw/pango.h"

namespace letterpress {

/// The text in ASCII, with one '?' for each other character: the stroke fonts have only ASCII.
std::string to_ascii(std::string_view utf8);

/// A line of text that can be measured and drawn: ASCII in OpenCV's stroke font, any other script
/// by pango_text(), or as to_ascii() where there is none.
class Line {
 public:
  /// scale: of the stroke font.
  Line(std::string_view utf8, double scale);

  int width() const noexcept { return width_; }      ///< pixels
  int ascent() const noexcept { return ascent_; }    ///< above the baseline
  int descent() const noexcept { return descent_; }  ///< below it
  /// Parts outside the canvas are cut off. from: left end of the baseline.
  void draw(cv::Mat& canvas, cv::Point from, const cv::Scalar& colour) const;

 private:
  std::string ascii_;
  double scale_;
  std::optional<TextMask> mask_;  // of a text that is not ASCII
  int width_ = 0, ascent_ = 0, descent_ = 0;
};

/// `text`, cut to `width` pixels and ended with ".." if it is wider.
Line fitting_line(const std::string& text, int width, double scale);

}  // namespace letterpress
