#pragma once
#include <doctest/doctest.h>

#include <string>

namespace letterpress {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace letterpress

/// Fails showing the whole text. Evaluates each once, and before the check: a REQUIRE within an
/// expression that doctest evaluates for its message waits for itself for ever.
#define CHECK_CONTAINS(text, part)                                                 \
  do {                                                                             \
    const std::string checked_text = (text), checked_part = (part);                \
    CHECK_MESSAGE(letterpress::contains(checked_text, checked_part), checked_part, \
                  " is not in: ", checked_text);                                   \
  } while (false)
