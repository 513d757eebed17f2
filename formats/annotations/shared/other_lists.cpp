#include "other_lists.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "data_yaml.h"
#include "formats/annotations/files/text.h"
#include "letterpress/base/error.h"

namespace letterpress::annotations {
namespace {

using Texts = std::vector<std::string_view>;

// "cat", 'cat'
bool is_quoted(std::string_view line) {
  return line.size() > 1 && (line.front() == '"' || line.front() == '\'') &&
         line.back() == line.front();
}

// What a file is other than a list of names, by one of its lines; empty: nothing says so.
std::string_view kind_by(std::string_view line) {
  for (const std::string_view key : {"names:", "nc:", "path:", "train:"}) {
    if (line.starts_with(key)) return "a YAML";
  }
  if (line.starts_with("item {") || line.starts_with("item{")) return "a label map";
  if (line == "[" || line.starts_with("[\"") || line.starts_with('{')) return "JSON";
  return line.starts_with("<?xml") ? "XML" : "";
}

// "id,name"
bool is_header(std::string_view line) {
  constexpr std::array<std::string_view, 7> kIds{"id",       "class_id", "label_id", "classid",
                                                 "class id", "index",    "idx"};
  if (line.find_first_of(",;\t") == std::string_view::npos) return false;
  bool has_id = false;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(",;\t"), line.size());
    has_id = has_id || std::ranges::count(kIds, in_small_letters(trim(line.substr(0, end)))) > 0;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return has_id;
}

// The number before or behind a separator, as in "0: cat", "0,cat", "cat,0" and "0 cat".
std::optional<std::int64_t> number_in(std::string_view line, std::string_view separators,
                                      bool is_first) {
  const std::size_t at = is_first ? line.find_first_of(separators) : line.find_last_of(separators);
  if (at == std::string_view::npos) return std::nullopt;
  return parse_integer(trim(is_first ? line.substr(0, at) : line.substr(at + 1)));
}

// Whether all lines have numbers there, which are those from `first` on, in any order.
bool are_numbered(const Texts& lines, std::string_view separators, bool is_first,
                  std::int64_t first) {
  std::set<std::int64_t> numbers;
  for (const std::string_view line : lines) {
    if (const auto number = number_in(line, separators, is_first)) numbers.insert(*number);
  }
  return numbers.size() == lines.size() && *numbers.begin() == first &&
         *numbers.rbegin() == first + std::ssize(lines) - 1;
}

// One line with a comma or a blank may be a name, and "1 star" is one.
bool are_numbered(const Texts& lines) {
  const bool several = lines.size() > 1;
  for (const std::int64_t first : {0, 1}) {
    if (are_numbered(lines, ":", true, first)) return true;
    if (several &&
        (are_numbered(lines, ",;=\t", true, first) || are_numbered(lines, ",;=:\t", false, first)))
      return true;
  }
  return several && are_numbered(lines, " ", true, 0);
}

std::string what_else(const Texts& lines, const std::filesystem::path& path) {
  if (is_yaml(path)) return "is a YAML";
  for (const std::string_view line : lines) {
    if (const std::string_view kind = kind_by(line); !kind.empty())
      return "is " + std::string(kind) + " (" + in_quotes(line) + ")";
  }
  const std::string first = " (" + in_quotes(lines.front()) + ")";
  const auto begins = [](std::string_view line) { return line.starts_with("- "); };
  if (std::ranges::all_of(lines, begins)) return "is a YAML" + first;
  if (is_header(lines.front())) return "is a table with a header" + first;
  return std::ranges::all_of(lines, is_quoted) ? "has its names in quotes" + first : "";
}

}  // namespace

void refuse_other_lists(const std::string& text, const std::filesystem::path& path) {
  Texts all;
  for (Lines lines(text); lines.next();) {
    if (lines.text().starts_with('#'))
      throw Error({.where = path.string() + ":" + std::to_string(lines.number()),
                   .what = in_quotes(lines.text()) + " begins with #, which is not a comment here",
                   .fix = "remove the line, or write the name of a class without it"});
    all.push_back(lines.text());
  }
  if (all.empty()) return;
  if (const std::string what = what_else(all, path); !what.empty())
    throw Error({.where = path.string(),
                 .what = what + ", must be the names alone, one a line",
                 .fix = "write them so: a line's place is its class id, from 0"});
  if (are_numbered(all))
    throw Error(
        {.where = path.string(),
         .what = "numbers its lines (" + in_quotes(all.front()) + "), must be the names alone",
         .fix = "remove the numbers: a line's place is its class id, from 0"});
}

}  // namespace letterpress::annotations
