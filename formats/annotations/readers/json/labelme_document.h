#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/annotations/shared/stated_pictures.h"

namespace letterpress::annotations {

/// What Letterpress takes of one LabelMe file (github.com/wkentaro/labelme); the embedded picture
/// (imageData) is skipped unread.
struct LabelMePicture {
  /// With `fault`: JSON that is not whole (with the byte), no imagePath, no list of shapes, a shape
  /// without label or points, a bad coordinate. Its boxes are then as many as could be read.
  StatedPicture picture{};
  std::string flag{};         ///< the first of the picture's own that is set; empty: none
  std::int64_t outlines = 0;  ///< boxes that are around a circle or a polygon
  std::int64_t groups = 0;    ///< boxes that are around several shapes
};

/// Rectangles by their two corners in any order, masks by their first and last pixel; circles (the
/// centre and a point of the edge), polygons and oriented rectangles by the box around them; other
/// shapes are rejected. Shapes of one label and one group_id
/// are one object, as LabelMe's own converters have it. where: the file.
LabelMePicture parse_labelme(std::string_view text, const std::string& where);

}  // namespace letterpress::annotations
