#pragma once
#include <ostream>

#include "trainer/detection/detection.h"

namespace letterpress {

inline std::ostream& operator<<(std::ostream& out, const Detection& box) {
  return out << '(' << box.x1 << ' ' << box.y1 << ' ' << box.x2 << ' ' << box.y2 << "; "
             << box.score << "; " << box.class_id << ')';
}

}  // namespace letterpress
