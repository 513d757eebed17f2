#pragma once
#include <doctest/doctest.h>

#include <string>

namespace letterpress {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace letterpress

/// Fails showing the whole text.
#define CHECK_CONTAINS(text, part) \
  CHECK_MESSAGE(letterpress::contains(text, part), (part), " is not in: ", (text))
