#include "coordinates.h"

#include "formats/annotations/files/text.h"
#include "letterpress/base/error.h"

namespace letterpress::annotations {
namespace {

// From -1, since VOC's corners have lost 1 by now; a box that overhangs is a little beyond 1.
bool is_within_one(const LabelBox& box) {
  return box.x1 >= -1 && box.y1 >= -1 && box.x2 <= 1.05F && box.y2 <= 1.05F;
}

}  // namespace

void settle_coordinates(const AnnotationOptions& options, const std::string& input,
                        AnnotationSet& set) {
  if (options.coordinates == Coordinates::shares) {
    for (Item& item : set.items) item.normalised = true;
  }
  if (options.coordinates != Coordinates::automatic) return;
  std::int64_t boxes = 0, within = 0;
  const std::string* first = nullptr;
  for (const Item& item : set.items) {
    for (const LabelBox& box : item.boxes) {
      if (item.normalised || box.x1 >= box.x2 || box.y1 >= box.y2) continue;
      ++boxes;
      if (!is_within_one(box)) continue;
      if (within++ == 0) first = &item.where;
    }
  }
  if (within == 0) return;
  const std::string count = std::to_string(within) + " of " + std::to_string(boxes) + " boxes ";
  if (within * 10 < boxes * 9) {
    set.remarks.push_back(count + "lie within 0..1, the first in " + printable(*first, 1000) +
                          ": are some of them shares of the picture? All are read as pixels; "
                          "write them in one unit");
    return;
  }
  throw Error({.where = input,
               .what = count + "within 0..1: shares of the picture, or pixels",
               .fix = "pass --coordinates shares or --coordinates pixels"},
              Exit::usage);
}

}  // namespace letterpress::annotations
