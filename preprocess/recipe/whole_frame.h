#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "letterpress/shards/letterbox.h"
#include "preprocess/pictures/picture.h"
#include "preprocess/recipe/resample.h"

namespace letterpress {

/// The clean letterboxed frame of a whole picture, drawn while the picture's lines are at hand: one
/// that is decoded in bands for its tiles need not be decoded again. The bytes are the same however
/// many lines there are at once.
class WholeFrame {
 public:
  /// picture: to be drawn, of which only size and scale are looked at. source_width, _height:
  /// pixels of the displayed frame. side: of the square frame, pixels.
  void begin(const Picture& picture, std::int32_t source_width, std::int32_t source_height,
             int side, const LetterboxRule& rule);
  /// The first line of the decoded picture that is still needed; its height where none is.
  std::int32_t first_needed() const;
  /// Draws the frame's next lines, as far as `picture` has the lines in RGB that they show.
  void draw(const Picture& picture);

  const Affine& source_to_frame() const noexcept { return source_to_frame_; }
  /// uint8 [side, side, 3], when all lines were at hand.
  std::span<const std::uint8_t> frame() const noexcept { return frame_; }

 private:
  Affine map_of_line(int line) const;

  LetterboxRule rule_;
  int side_ = 0, drawn_ = 0;  // lines of the frame
  std::int32_t height_ = 0;   // of the decoded picture
  Affine source_to_frame_, picture_to_frame_;
  std::vector<std::uint8_t> frame_;
  ResampleWorkspace workspace_;
};

}  // namespace letterpress
