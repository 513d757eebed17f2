#pragma once
#include <array>
#include <string>

namespace letterpress {

/// 2x3 affine map of points: x' = m[0] x + m[1] y + m[2], y' = m[3] x + m[4] y + m[5].
/// Pixel i covers [i, i+1): the map acts on edges, a pixel's centre is i + 0.5.
struct Affine {
  std::array<double, 6> m{1, 0, 0, 0, 1, 0};
  bool operator==(const Affine&) const = default;
};
Affine operator*(const Affine& after, const Affine& before);  ///< first `before`, then `after`
Affine inverse(const Affine& map);                            ///< throws Error when it is singular
std::array<double, 2> apply(const Affine& map, double x, double y);

/// How a picture is fitted into a square frame: a model is valid only with its own rule, which
/// therefore travels in recipe, shard, checkpoint and export.
struct LetterboxRule {
  enum class Scale { fit, shrink };  ///< fit: min(side/w, side/h); shrink: that, but never above 1
  enum class Rounding { nearest, truncate };  ///< of the resized width and height
  enum class Alignment { centre, top_left };  ///< centre: offset (side - size) / 2, rounded down
  /// linear is antialiased when it shrinks by more than 1.5; cubic always (Pillow's)
  enum class Resize { linear, cubic };

  Scale scale = Scale::fit;
  Rounding rounding = Rounding::nearest;
  Alignment place = Alignment::centre;
  int fill = 114;  ///< grey level 0..255 outside the picture
  Resize resize = Resize::linear;

  bool operator==(const LetterboxRule&) const = default;
};
/// {"scale":"fit","rounding":"nearest","place":"centre","fill":114,"resize":"linear"}
std::string to_json(const LetterboxRule& rule);
/// Throws Error naming the field and the values that it may have.
LetterboxRule letterbox_rule_from_json(const std::string& text);

/// The place of a width x height picture in a side x side frame.
struct Letterbox {
  int width = 0, height = 0;  ///< pixels of the resized picture, >= 1
  int x = 0, y = 0;           ///< its top left corner in the frame
  Affine source_to_frame{};  ///< scale width/source width and height/source height, then the offset
};
Letterbox letterbox(int source_width, int source_height, int side, const LetterboxRule& rule);
/// The same from what a clean row stores, for any rule.
Letterbox letterbox_of(const Affine& source_to_frame, int source_width, int source_height,
                       int side);

}  // namespace letterpress
