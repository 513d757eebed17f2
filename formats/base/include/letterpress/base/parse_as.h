#pragma once
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace letterpress {

/// The number that all of the text is, as std::from_chars reads one: no sign + before it, no space
/// about it, whatever the locale. Nothing for another text, or for a number that T cannot hold.
template <class T>
std::optional<T> parse_as(std::string_view text) {
  T number{};
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// The same of a whole number that is 0 or more.
inline std::optional<int> parse_count(std::string_view text) {
  const std::optional<int> number = parse_as<int>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

}  // namespace letterpress
