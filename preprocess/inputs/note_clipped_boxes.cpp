#include "preprocess/inputs/note_clipped_boxes.h"

#include <string>

namespace letterpress {
namespace {

constexpr std::int64_t kClippedOneIn = 5;

}  // namespace

void note_clipped_boxes(const Accounting& accounting, BuildListener& listener) {
  const std::int64_t boxes = accounting.boxes_stored + accounting.boxes_merged;
  if (accounting.boxes_clipped * kClippedOneIn > boxes) {
    listener.note(std::to_string(accounting.boxes_clipped) + " of " + std::to_string(boxes) +
                  " boxes reach beyond their pictures and were clipped: are these x,y,w,h, or "
                  "labels of pictures of another size?");
  }
}

}  // namespace letterpress
