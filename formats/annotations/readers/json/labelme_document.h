#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/base/box.h"
#include "letterpress/base/reject.h"

namespace letterpress::annotations {

/// What Letterpress takes of one LabelMe file (github.com/wkentaro/labelme); the embedded picture
/// (imageData) is skipped unread.
struct LabelMePicture {
  std::string image_path;
  std::int32_t width = 0, height = 0;  ///< imageWidth, imageHeight; 0: not stated
  std::string flag;                    ///< the first of the picture's own that is set; empty: none
  std::vector<LabelBox> boxes;         ///< pixels; without class ids
  std::vector<std::string> class_names;  ///< one per box
  std::vector<Reject> box_rejects;       ///< shapes of other types, scope box
};

/// Rectangles by their two corners in any order, polygons by their bounding box. Rejects: JSON
/// that is not whole (with the byte), no imagePath, no list of shapes, a shape without label or
/// points, a bad coordinate. `shapes` <- how many there are, as far as could be read.
Expected<LabelMePicture> parse_labelme(std::string_view text, const std::string& where,
                                       std::int64_t& shapes);

}  // namespace letterpress::annotations
