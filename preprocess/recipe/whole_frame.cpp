#include "preprocess/recipe/whole_frame.h"

#include "preprocess/recipe/recipe.h"

namespace letterpress {

void WholeFrame::begin(const Picture& picture, std::int32_t source_width,
                       std::int32_t source_height, int side, const LetterboxRule& rule) {
  rule_ = rule;
  side_ = side;
  drawn_ = 0;
  height_ = picture.height;
  source_to_frame_ = as_stored(letterbox(source_width, source_height, side, rule).source_to_frame);
  picture_to_frame_ = source_to_frame_ * picture_to_source(picture);
  const auto pixels = static_cast<std::size_t>(side);
  frame_.resize(3 * pixels * pixels);
}

// Of the picture to a frame of this line alone.
Affine WholeFrame::map_of_line(int line) const {
  return Affine{{1, 0, 0, 0, 1, -1.0 * line}} * picture_to_frame_;
}

std::int32_t WholeFrame::first_needed() const {
  return drawn_ < side_ ? lines_read(map_of_line(drawn_), 1, height_).first : height_;
}

void WholeFrame::draw(const Picture& picture) {
  const std::size_t bytes = 3 * static_cast<std::size_t>(side_);
  for (; drawn_ < side_; ++drawn_) {
    const Affine map = map_of_line(drawn_);
    if (!has_lines(picture, lines_read(map, 1, height_))) return;
    const auto line = std::span(frame_).subspan(static_cast<std::size_t>(drawn_) * bytes, bytes);
    resample_straight({picture.rgb, picture.width, picture.height, nullptr, picture.first_line},
                      map, rule_, {line, side_, 1}, workspace_);
  }
}

}  // namespace letterpress
