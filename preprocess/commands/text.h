#pragma once
#include <iomanip>
#include <sstream>
#include <string>

namespace letterpress {

/// All of its arguments, one after the other, as a stream writes them.
template <class... Parts>
std::string joined(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

}  // namespace letterpress
