#pragma once
#include <sstream>
#include <string>

#include "letterpress/base/error.h"

namespace letterpress {

/// Throws Error (usage) "--batch is 0, must be 1 or more" unless `valid`.
template <class T>
void require_flag(bool valid, const char* flag, const T& got, const char* wanted) {
  if (valid) return;
  std::ostringstream text;
  text << "--" << flag << " is " << got << ", must be " << wanted;
  throw Error(text.str(), Exit::usage);
}

}  // namespace letterpress
