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

/// Throws Error (usage) unless it is empty, "latest" or a generation's number.
inline void require_snapshot(const std::string& snapshot) {
  const bool number = !snapshot.empty() && snapshot.size() <= 18 && snapshot.find_first_not_of("0123456789") == std::string::npos;
  require_flag(snapshot.empty() || snapshot == "latest" || number, "snapshot", "'" + snapshot + "'", "a generation's number or 'latest'");
}

}  // namespace letterpress
