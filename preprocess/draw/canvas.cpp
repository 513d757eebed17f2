#include "preprocess/draw/canvas.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace letterpress {
namespace {

constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;
constexpr double kEm = 30;       // of the stroke font at scale 1, pixels: what its capitals go with
constexpr int kSmallestEm = 12;  // what is legible in scripts with many strokes

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string to_ascii(std::string_view utf8) {
  std::string text;
  for (const char c : utf8) {
    if (c >= 0x20 && c < 0x7F) {
      text += c;
    } else if (!continues_character(c)) {
      text += '?';
    }
  }
  return text;
}

Line::Line(std::string_view utf8, double scale) : ascii_(to_ascii(utf8)), scale_(scale) {
  if (!is_ascii(utf8))
    mask_ = pango_text(utf8, std::max(kSmallestEm, static_cast<int>(std::lround(kEm * scale))));
  if (mask_) {
    width_ = mask_->width;
    ascent_ = mask_->ascent;
    descent_ = mask_->height - mask_->ascent;
  } else {
    const cv::Size size = cv::getTextSize(ascii_, kFont, scale, 1, &descent_);
    width_ = size.width;
    ascent_ = size.height;
  }
}

void Line::draw(cv::Mat& canvas, cv::Point from, const cv::Scalar& colour) const {
  if (!mask_) return cv::putText(canvas, ascii_, from, kFont, scale_, colour, 1, cv::LINE_AA);
  const cv::Rect place(from.x, from.y - ascent_, mask_->width, mask_->height);
  const cv::Rect seen = place & cv::Rect(0, 0, canvas.cols, canvas.rows);
  for (int y = seen.y; y < seen.y + seen.height; ++y) {
    auto* const row = canvas.ptr<cv::Vec3b>(y);
    const std::uint8_t* const coverage = &mask_->coverage[static_cast<std::size_t>(y - place.y) *
                                                          static_cast<std::size_t>(mask_->width)];
    for (int x = seen.x; x < seen.x + seen.width; ++x) {
      const int share = coverage[x - place.x];
      for (int c = 0; c < 3; ++c) {
        const int ink = static_cast<int>(colour[c]);
        row[x][c] =
            static_cast<std::uint8_t>((row[x][c] * (255 - share) + ink * share + 127) / 255);
      }
    }
  }
}

Line fitting_line(const std::string& text, int width, double scale) {
  Line line(text, scale);
  std::string start = text;
  while (line.width() > width && !start.empty()) {
    while (start.size() > 1 && continues_character(start.back())) start.pop_back();
    start.pop_back();
    line = Line(start.empty() ? "" : start + "..", scale);
  }
  return line;
}

}  // namespace letterpress
