#include "letterpress/base/shell_word.h"

namespace letterpress {

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=:,+@%";
  const auto is_plain = [&](char c) {
    return kPlain.find(c) != std::string_view::npos || static_cast<unsigned char>(c) >= 0x80;
  };
  bool plain = !text.empty();
  for (const char c : text) plain = plain && is_plain(c);
  if (plain) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace letterpress
