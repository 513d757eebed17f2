#include "text.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace letterpress::annotations {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";
constexpr double kLargestCoordinate = 1e7;

void append_escaped(std::string& text, char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  text += "\\x";
  text += digits[byte >> 4];
  text += digits[byte & 15];
}

// Of a number that a double cannot hold: whether it is too near 0, not too large.
bool is_tiny(std::string_view number) {
  const std::size_t exponent = number.find_first_of("eE");
  if (exponent != std::string_view::npos) return number.substr(exponent + 1).starts_with('-');
  return number.find_first_of("123456789") > number.find('.');
}

// Bytes of the UTF-8 sequence that a first byte announces; 1 for a byte that announces none.
std::size_t sequence_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

}  // namespace

Lines::Lines(std::string_view text)
    : rest_(text), end_(text.find('\n') == std::string_view::npos ? '\r' : '\n') {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
}

bool Lines::next() {
  while (!rest_.empty()) {
    ++number_;
    text_ = trim(take_until(rest_, end_));
    if (!text_.empty()) return true;
  }
  return false;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string_view take_field(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view field = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(field.size());
  return field;
}

std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return piece;
}

std::optional<double> parse_number(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range && end == text.data() + text.size())
    return is_tiny(text) ? 0.0 : HUGE_VAL;
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (!value || !(std::abs(*value) < 9e15) || *value != std::floor(*value)) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

bool is_coordinate(double value) { return std::abs(value) <= kLargestCoordinate; }

Coordinate parse_coordinate(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (!value) return {0, in_quotes(text) + " is not a number"};
  if (is_coordinate(*value)) return {*value, {}};
  return {0, in_quotes(text) + (std::isfinite(*value) ? " is beyond 1e7" : " is not finite")};
}

bool is_utf16(std::string_view text) {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
}

bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F) return true;
    // U+0080..U+009F
    if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0)
      return true;
  }
  return false;
}

std::string in_small_letters(std::string_view text) {
  std::string small;
  std::ranges::transform(text, std::back_inserter(small), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return small;
}

std::string_view last_part(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

std::string printable(std::string_view text, std::size_t longest) {
  // Nearly all texts are plain, and each path of a set is shown somewhere.
  const auto special = std::ranges::find_if(text, [](char c) { return c < 0x20 || c >= 0x7F; });
  if (special == text.end() && text.size() <= longest) return std::string(text);
  std::string shown;
  while (!text.empty() && shown.size() < longest) {
    const std::string_view sequence = text.substr(0, sequence_length(text.front()));
    if (has_control_character(sequence) || !is_utf8(sequence)) {
      append_escaped(shown, text.front());
      text.remove_prefix(1);
    } else {
      shown += sequence;
      text.remove_prefix(sequence.size());
    }
  }
  return text.empty() ? shown : shown + "...";
}

std::string in_quotes(std::string_view text) { return "'" + printable(text) + "'"; }

std::string counted(std::int64_t n, std::string_view one, std::string_view many) {
  return std::to_string(n) + " " + std::string(n == 1 ? one : many);
}

}  // namespace letterpress::annotations
