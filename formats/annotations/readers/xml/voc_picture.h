#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/base/box.h"
#include "letterpress/base/reject.h"

namespace letterpress::annotations {

/// Boxes that may mean something else than was read.
struct VocDoubts {
  std::int64_t at_zero = 0;  ///< start at 0 where pixels count from 1
  std::int64_t deleted = 0;  ///< objects with <deleted>1</deleted>, LabelMe 3.0's: left out
  std::int64_t turned = 0;   ///< have CVAT's attribute `rotation`: read as the upright box around
  std::int64_t maybe_difficult = 0;  ///< <difficult> is neither yes nor no: read as no
  std::string first_maybe{};         ///< what the first of these holds

  void add(const VocDoubts& other);
  std::vector<std::string> remarks() const;  ///< a line for each kind that there is
};

/// What one Pascal VOC XML says (PASCAL VOC 2012 development kit, section "Annotation"). A
/// <polygon> beside a bndbox is its outline; without one, as LabelMe 3.0 writes it, the box is the
/// one around its points.
struct VocPicture {
  std::string filename;                  ///< as written, may be empty
  std::int32_t width = 0, height = 0;    ///< 0: not stated
  std::vector<LabelBox> boxes;           ///< 0-based pixels, exclusive ends; class_id is not set
  std::vector<std::string> class_names;  ///< of each box
  VocDoubts doubts;
};

/// How many objects the XML seems to hold, even if it is damaged; no tree is built.
std::int64_t count_objects(std::string_view xml);

/// Rejects what is not XML, is cut, has a DOCTYPE or entities, or has an object without name or
/// numbers. `where` names the file.
///
/// VOC is 1-based and inclusive: x1 = xmin - 1, x2 = xmax. A side that is empty or inverted as
/// written (xmax <= xmin: an accidental click, as every labelling tool stores it) stays empty or
/// inverted, so that check_boxes finds it. `origin`: the first pixel, 1; where it is 0, as some
/// tools write, corners are taken as they stand.
Expected<VocPicture> parse_voc(std::string_view xml, const std::string& where, int origin = 1);

}  // namespace letterpress::annotations
