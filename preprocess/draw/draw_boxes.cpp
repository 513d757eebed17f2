#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "letterpress/base/class_colour.h"
#include "preprocess/draw/canvas.h"
#include "preprocess/draw/draw.h"

namespace letterpress {
namespace {

// Sizes that are legible from a frame of 160 pixels to a photograph.
struct Pen {
  int line;
  double text;
};

Pen pen_for(int width, int height) {
  const int shorter = std::min(width, height);
  return {std::max(1, shorter / 400), std::clamp(shorter / 1000.0, 0.35, 1.2)};
}

cv::Scalar colour_of(const DrawnBox& box) {
  const auto [red, green, blue] = class_colour(box.colour_index);
  return cv::Scalar(red, green, blue);
}

// Rectangles are inclusive in OpenCV: a box that ends at x2 covers pixel x2 - 1.
cv::Rect covered(const DrawnBox& box, int width, int height) {
  const auto pixel = [](float value, int size) {
    return static_cast<int>(std::lround(std::clamp(value, 0.0f, static_cast<float>(size))));
  };
  const int left = pixel(box.x1, width), top = pixel(box.y1, height);
  return {left, top, std::max(1, pixel(box.x2, width) - left),
          std::max(1, pixel(box.y2, height) - top)};
}

// The outermost `thickness` pixels of a frame that is `inset` pixels smaller on each side.
void draw_ring(cv::Mat& canvas, const cv::Rect& frame, int inset, int thickness,
               const cv::Scalar& colour) {
  const cv::Rect all(0, 0, canvas.cols, canvas.rows);
  const cv::Rect outer(frame.x + inset, frame.y + inset, frame.width - 2 * inset,
                       frame.height - 2 * inset);
  if (outer.width < 1 || outer.height < 1) return;
  const int across = std::min(thickness, outer.width), down = std::min(thickness, outer.height);
  for (const cv::Rect& side :
       {cv::Rect(outer.x, outer.y, outer.width, down),
        cv::Rect(outer.x, outer.y + outer.height - down, outer.width, down),
        cv::Rect(outer.x, outer.y, across, outer.height),
        cv::Rect(outer.x + outer.width - across, outer.y, across, outer.height)})
    canvas(side & all).setTo(colour);
}

void draw_text(cv::Mat& canvas, const cv::Rect& frame, const std::string& text,
               const cv::Scalar& colour, const Pen& pen) {
  const Line line(text, pen.text);
  const int height = line.ascent() + line.descent() + 2, width = line.width() + 4;
  // Above the box or, where it hides less, below it, else inside its upper edge; always inside the
  // picture.
  const int below = frame.y + frame.height;
  const int top = frame.y >= height ? frame.y - height
                  : below + height <= canvas.rows
                      ? below
                      : std::max(0, std::min(frame.y, canvas.rows - height));
  const int left = std::clamp(frame.x, 0, std::max(0, canvas.cols - width));
  cv::rectangle(canvas, cv::Rect(left, top, width, height), colour, cv::FILLED);
  line.draw(canvas, {left + 2, top + line.ascent() + 1}, {0, 0, 0});
}

}  // namespace

void draw_boxes(std::span<std::uint8_t> rgb, int width, int height,
                std::span<const DrawnBox> boxes) {
  if (width < 1 || height < 1 ||
      rgb.size() != static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3)
    throw std::logic_error("draw_boxes: " + std::to_string(rgb.size()) + " bytes are not " +
                           std::to_string(width) + " x " + std::to_string(height) + " x 3");
  cv::Mat canvas(height, width, CV_8UC3, rgb.data());
  const Pen pen = pen_for(width, height);
  for (const DrawnBox& box : boxes) {
    const cv::Rect frame = covered(box, width, height);
    draw_ring(canvas, frame, -1, 1, {0, 0, 0});
    draw_ring(canvas, frame, pen.line, 1, {0, 0, 0});
    draw_ring(canvas, frame, 0, pen.line, colour_of(box));
  }
  for (const DrawnBox& box : boxes) {  // after all lines, so that no line crosses a text
    if (!box.text.empty())
      draw_text(canvas, covered(box, width, height), box.text, colour_of(box), pen);
  }
}

}  // namespace letterpress
