#include "coco_extents.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <span>
#include <sstream>

#include "formats/annotations/files/text.h"

namespace letterpress::annotations {
namespace {

using Corners = std::array<double, 4>;  // x1, y1, x2, y2

Corners cut_to(const Corners& extent, const std::array<double, 2>& frame) {
  Corners inside = extent;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (frame[i % 2] > 0) inside[i] = std::clamp(inside[i], 0.0, frame[i % 2]);
  }
  return inside;
}

bool are_alike(const Corners& one, const Corners& other, double pixels) {
  constexpr double kOfSide = 0.05;  // as outlines of a box may differ from it
  for (std::size_t i = 0; i < one.size(); ++i) {
    const std::size_t axis = i % 2;
    const double side = std::min(one[axis + 2] - one[axis], other[axis + 2] - other[axis]);
    if (std::abs(one[i] - other[i]) > pixels + kOfSide * side) return false;
  }
  return true;
}

// "10,20,30.5,29"
std::string numbers_text(std::span<const double> numbers) {
  std::ostringstream text;
  text << std::setprecision(6);
  for (std::size_t i = 0; i < numbers.size(); ++i) text << (i > 0 ? "," : "") << numbers[i];
  return text.str();
}

}  // namespace

void CocoExtents::add(const CocoAnnotation& annotation, const CocoImage& image, std::size_t place) {
  const auto& [x1, y1, x2, y2] = annotation.extent;
  if (x1 >= x2 || y1 >= y2 || annotation.rotation != 0) return;  // no outline, or a turned one
  const double pixels = are_shares_ ? 0.01 : 2;
  std::array<double, 2> frame{1, 1};
  if (!are_shares_) frame = {static_cast<double>(image.width), static_cast<double>(image.height)};
  const Corners outline{x1, y1, x2, y2};
  const Corners stated{annotation.x, annotation.y, annotation.width, annotation.height};
  const Corners box{annotation.x, annotation.y, annotation.x + annotation.width,
                    annotation.y + annotation.height};
  if (are_alike(box, outline, pixels) ||
      are_alike(cut_to(box, frame), cut_to(outline, frame), pixels))
    return;
  const bool fits = are_alike(stated, outline, pixels);
  // The first that fits as corners explains them best.
  if (differing_++ == 0 || (fits && corners_ == 0))
    first_ = "annotations[" + std::to_string(place) + "] with the bbox " + numbers_text(stated) +
             " and an outline from " + numbers_text(std::span(outline).first(2)) + " to " +
             numbers_text(std::span(outline).last(2));
  corners_ += fits;
}

void CocoExtents::add_to(std::vector<std::string>& remarks) const {
  if (differing_ == 0) return;
  std::string text =
      counted(differing_, "annotation has", "annotations have") +
      " a segmentation of another extent than the bbox, which is kept; the first is " + first_;
  if (corners_ > 0)
    text += ": are these x1,y1,x2,y2? " + std::to_string(corners_) +
            (corners_ == 1 ? " fits" : " fit") +
            " as such; COCO's bbox is x,y,width,height, write it so";
  remarks.push_back(std::move(text));
}

}  // namespace letterpress::annotations
