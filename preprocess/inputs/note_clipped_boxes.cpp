#include "preprocess/inputs/note_clipped_boxes.h"

#include <string>

namespace letterpress {
namespace {

constexpr std::int64_t kClippedOneIn = 5;

}  // namespace

void note_clipped_boxes(const Accounting& accounting, BuildListener& listener) {
  if (accounting.boxes_clipped * kClippedOneIn > accounting.boxes_stored) {
    listener.note(std::to_string(accounting.boxes_clipped) + " of " +
                  std::to_string(accounting.boxes_stored) +
                  " boxes reach beyond their pictures and were clipped: are these x,y,w,h, or "
                  "labels of pictures of another size?");
  }
}

}  // namespace letterpress
