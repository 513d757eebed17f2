#include "formats/annotations/files/text.h"
#include "voc_picture.h"

namespace letterpress::annotations {

void VocDoubts::add(const VocDoubts& other) {
  at_zero += other.at_zero;
  turned += other.turned;
  deleted += other.deleted;
  if (maybe_difficult == 0) first_maybe = other.first_maybe;
  maybe_difficult += other.maybe_difficult;
}

std::vector<std::string> VocDoubts::remarks() const {
  std::vector<std::string> lines;
  if (at_zero > 0) {
    lines.push_back(counted(at_zero, "box has", "boxes have") +
                    " an xmin or ymin of 0, but VOC counts from 1: if yours counts from 0, pass "
                    "--voc-origin 0");
  }
  if (turned > 0) {
    lines.push_back(counted(turned, "box is", "boxes are") +
                    " turned (attribute rotation), and read as the upright box around");
  }
  if (deleted > 0) {
    lines.push_back(counted(deleted, "object is", "objects are") +
                    " marked <deleted>1</deleted>, and left out");
  }
  if (maybe_difficult > 0) {
    lines.push_back(counted(maybe_difficult, "object has", "objects have") +
                    " a <difficult> that is neither yes nor no, the first '" + first_maybe +
                    "', and read as not difficult; write 1 or 0");
  }
  return lines;
}

}  // namespace letterpress::annotations
