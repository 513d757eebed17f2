#pragma once
#include <algorithm>

#include "samples.h"
#include "tests/locations.h"

namespace letterpress {

/// What a picture of an export must hold: class and corners in pixels.
struct NamedBox {
  std::string name;
  float x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};
struct NamedPicture {
  std::string file;
  std::vector<NamedBox> boxes;
};

/// Checks a set, picture by picture, against files below `dir`; pictures are of this size.
inline void check_pictures(const AnnotationSet& set, const TempDir& dir,
                           const std::vector<NamedPicture>& expected, std::int32_t width = 100,
                           std::int32_t height = 80) {
  REQUIRE(set.items.size() == expected.size());
  std::int64_t boxes = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(expected[i].file);
    CHECK(set.items[i].path == std::filesystem::canonical(dir / expected[i].file).string());
    const CheckedBoxes checked = check_boxes(set.items[i], width, height);
    REQUIRE(checked.boxes.size() == expected[i].boxes.size());
    for (std::size_t k = 0; k < checked.boxes.size(); ++k) {
      const LabelBox& box = checked.boxes[k];
      const NamedBox& wanted = expected[i].boxes[k];
      CHECK(set.classes.at(static_cast<std::size_t>(box.class_id)) == wanted.name);
      CHECK(box.x1 == doctest::Approx(wanted.x1).epsilon(1e-4));
      CHECK(box.y1 == doctest::Approx(wanted.y1).epsilon(1e-4));
      CHECK(box.x2 == doctest::Approx(wanted.x2).epsilon(1e-4));
      CHECK(box.y2 == doctest::Approx(wanted.y2).epsilon(1e-4));
    }
    boxes += static_cast<std::int64_t>(checked.boxes.size());
  }
  CHECK(set.boxes_found == boxes + set.boxes_rejected);
}

inline std::string remarks_of(const AnnotationSet& set) {
  std::string text;
  for (const std::string& remark : set.remarks) text += remark + "\n";
  return text;
}

}  // namespace letterpress
