#pragma once
#include <string_view>

namespace letterpress {

/// Whether a split can be called so: not "", "." or "..", and without slashes, blanks and control
/// bytes. `unpack` makes a folder of that name.
inline bool can_name_split(std::string_view name) {
  if (name.empty() || name == "." || name == "..") return false;
  for (const char c : name)
    if (c == '/' || c == '\\' || static_cast<unsigned char>(c) <= ' ') return false;
  return true;
}

}  // namespace letterpress
