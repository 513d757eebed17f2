#include "preprocess/inputs/note_boxes.h"

#include <string>

namespace letterpress {
namespace {

constexpr std::int64_t kClippedOneIn = 5;

}  // namespace

void note_boxes(const Accounting& accounting, BuildListener& listener) {
  if (accounting.pictures_stored > 0 &&
      accounting.pictures_background == accounting.pictures_stored) {
    listener.note("none of the " + std::to_string(accounting.pictures_stored) +
                  " pictures has a box or a class: nothing can be learned from them; are these the "
                  "right label files?");
  }
  const std::int64_t boxes = accounting.boxes_stored + accounting.boxes_merged;
  if (accounting.boxes_clipped * kClippedOneIn > boxes) {
    listener.note(std::to_string(accounting.boxes_clipped) + " of " + std::to_string(boxes) +
                  " boxes reach beyond their pictures and were clipped: are these x,y,w,h, or "
                  "labels of pictures of another size?");
  }
}

}  // namespace letterpress
