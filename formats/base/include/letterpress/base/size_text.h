#pragma once
#include <cstdint>
#include <string>

namespace letterpress {

/// "640x480", of a picture in messages.
inline std::string size_text(std::int32_t width, std::int32_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

}  // namespace letterpress
