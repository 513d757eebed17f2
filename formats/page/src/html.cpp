#include "letterpress/page/html.h"

#include <fmt/format.h>

#include <cstdint>

namespace letterpress {
namespace {

constexpr std::string_view kUnknown = "\xEF\xBF\xBD";  // U+FFFD

// Length of the UTF-8 sequence at the start of `text`; 0 if there is none (RFC 3629: no overlong
// forms, no surrogates).
std::size_t sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool beyond = (first == 0xED && byte(1) > 0x9F) || (first == 0xF4 && byte(1) > 0x8F);
  return overlong || beyond ? 0 : length;
}

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = sequence(text);
    const auto first = static_cast<unsigned char>(text[0]);
    const bool control = first < 0x20 || first == 0x7F;
    const std::string_view replacement = entity(text[0]);
    if (length == 0 || control) {
      result += kUnknown;
    } else if (!replacement.empty()) {
      result += replacement;
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string png_uri(std::span<const std::byte> png) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text = "data:image/png;base64,";
  for (std::size_t i = 0; i < png.size(); i += 3) {
    const auto at = [&](std::size_t k) {
      return k < png.size() ? std::to_integer<std::uint32_t>(png[k]) : 0U;
    };
    const std::uint32_t bits = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    text += kDigits[bits >> 18];
    text += kDigits[bits >> 12 & 63];
    text += i + 1 < png.size() ? kDigits[bits >> 6 & 63] : '=';
    text += i + 2 < png.size() ? kDigits[bits & 63] : '=';
  }
  return text;
}

std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string named_number(const std::string& name, std::int64_t number) {
  return "<span data-figure=\"" + escaped(name) + "\">" + grouped(number) + "</span>";
}

std::string fixed(double number, int digits) { return fmt::format("{:.{}f}", number, digits); }

std::string attribute(const std::string& name, const std::string& value) {
  return " data-" + name + "=\"" + escaped(value) + "\"";
}

std::string shortened(const std::string& name, std::size_t most) {
  std::size_t width = 0, end = 0;  // end: of what fits with the dots behind it
  for (std::size_t at = 0; at < name.size(); ++at) {
    const auto byte = static_cast<unsigned char>(name[at]);
    if ((byte & 0xC0) == 0x80) continue;  // within a character
    if (width < most) end = at;
    width += byte >= 0xE3 ? 2 : 1;  // of those behind U+3000, most are Chinese, Japanese or Korean
  }
  return width <= most ? name : name.substr(0, end) + "…";
}

}  // namespace letterpress
