#include "letterpress/base/nesting.h"

#include <algorithm>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

constexpr auto npos = std::string_view::npos;

// Behind the quote that ends the string which begins at `at`, or at the end of the text.
std::size_t end_of_json_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// The same of TOML, https://toml.io/en/v1.0.0#string: up to the line's end or, between three
// quotes, over lines; two more quotes may stand before the three that end it.
std::size_t end_of_toml_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool over_lines = text.substr(at).starts_with(three);
  for (at += over_lines ? 3 : 1; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (over_lines ? text.substr(at).starts_with(three) : text[at] == quote) {
      at += over_lines ? 3 : 1;
      for (int more = 0; over_lines && more < 2 && text.substr(at).starts_with(quote); ++more) ++at;
      return at;
    } else if (!over_lines && text[at] == '\n') {
      return at;
    }
  }
  return text.size();
}

}  // namespace

std::size_t nesting_of(std::string_view json) {
  std::size_t depth = 0, deepest = 0;
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    if (c == '"') {
      at = end_of_json_string(json, at);
      continue;
    }
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if ((c == ']' || c == '}') && depth > 0) --depth;
    ++at;
  }
  return deepest;
}

void check_nesting(std::string_view json, const std::string& where, const std::string& fix) {
  if (nesting_of(json) <= kDeepest) return;
  throw Error({.where = where,
               .what = "is nested more than " + std::to_string(kDeepest) + " levels deep",
               .fix = fix});
}

bool is_all_brackets(std::string_view yaml) {
  constexpr std::size_t kMostOpen = 10'000;
  std::size_t open = 0, in_a_row = 0;
  for (const char c : yaml) {
    if (c == '[' || c == '{') {
      ++open;
      if (++in_a_row > kDeepest || open > kMostOpen) return true;
    } else if (c == ']' || c == '}') {
      if (open > 0) --open;
      in_a_row = 0;
    } else if (std::string_view(" \t\r\n,").find(c) == npos) {
      in_a_row = 0;
    }
  }
  return false;
}

std::size_t longest_toml_key(std::string_view toml) {
  std::size_t parts = 1, most = 0;
  for (std::size_t at = 0; at < toml.size();) {
    const char c = toml[at];
    if (c == '"' || c == '\'') {
      at = end_of_toml_string(toml, at);
      continue;
    }
    if (c == '#') {
      at = std::min(toml.find('\n', at), toml.size());
      continue;
    }
    if (c == '.') ++parts;
    if (std::string_view("\n=,[]{}").find(c) != npos) parts = 1;
    most = std::max(most, parts);
    ++at;
  }
  return most;
}

}  // namespace letterpress
