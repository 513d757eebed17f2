#include "letterpress/commandline/terminal_text.h"

#include <cstdio>

namespace letterpress {
namespace {

// kept: control characters that stay.
std::string shown_text(std::string_view text, std::string_view kept) {
  std::string shown;
  const auto escape = [&](unsigned byte) {
    char digits[8];
    std::snprintf(digits, sizeof digits, "\\x%02X", byte);
    shown += digits;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned byte = static_cast<unsigned char>(text[i]);
    const unsigned next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    const bool second_set = byte == 0xC2 && next >= 0x80 && next < 0xA0;
    if (second_set) {
      escape(next);
      ++i;
    } else if ((byte < 0x20 && kept.find(text[i]) == std::string_view::npos) || byte == 0x7F) {
      escape(byte);
    } else {
      shown += text[i];
    }
  }
  return shown;
}

}  // namespace

std::string terminal_text(std::string_view text) { return shown_text(text, "\n\t"); }
std::string terminal_line(std::string_view text) { return shown_text(text, ""); }

}  // namespace letterpress
