#include "kitti_line.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "formats/annotations/files/text.h"

namespace letterpress::annotations {
namespace {

constexpr std::size_t kNumbers = 14;  // behind the type
constexpr double kTurn = 6.2832;      // radians

bool is_angle(double value) { return std::abs(value) <= kTurn || value == -10; }

bool is_occlusion(double value) {
  return value == -1 || value == 0 || value == 1 || value == 2 || value == 3;
}

bool are_all_numbers(std::span<const std::string_view> fields) {
  return std::ranges::all_of(
      fields, [](std::string_view field) { return parse_number(field).has_value(); });
}

std::string wrong(const char* field, std::string_view text, const char* wanted) {
  return std::string(field) + " is " + in_quotes(text) + ", must be " + wanted;
}

// Of the 14 numbers behind the type; empty: they are what they must be. with_score: another stands
// behind them. A type "red 1" looks like that, with all fields one place on.
std::string fault_of_numbers(std::span<const std::string_view> fields, bool with_score) {
  const auto number = [&](std::size_t i) { return *parse_number(fields[i]); };
  if (!(number(0) >= 0 && number(0) <= 1) && number(0) != -1)
    return wrong("truncated", fields[0], "0..1 or -1");
  if (!is_occlusion(number(1)) || (with_score && !parse_integer(fields[1])))
    return wrong("occluded", fields[1], "0, 1, 2, 3 or -1");
  if (!is_angle(number(2))) return wrong("alpha", fields[2], "an angle in radians or -10");
  if (!is_angle(number(13))) return wrong("rotation", fields[13], "an angle in radians or -10");
  return {};
}

// "red ball" before 14 numbers that are good, or these and a score; empty: it is not that.
std::string type_of_words(const std::vector<std::string_view>& fields) {
  for (const std::size_t n : {kNumbers, kNumbers + 1}) {
    if (fields.size() < n + 2) break;
    const std::span<const std::string_view> numbers = std::span(fields).last(n);
    if (!are_all_numbers(numbers) ||
        !fault_of_numbers(numbers.first(kNumbers), n > kNumbers).empty())
      continue;
    std::string type;
    for (std::size_t i = 0; i < fields.size() - n; ++i)
      type += (i > 0 ? " " : "") + std::string(fields[i]);
    return type;
  }
  return {};
}

}  // namespace

std::vector<std::string_view> kitti_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::string_view field = take_field(line); !field.empty(); field = take_field(line))
    fields.push_back(field);
  return fields;
}

std::optional<Message> kitti_fault(const std::vector<std::string_view>& fields) {
  const bool with_score = fields.size() == kNumbers + 2;
  const bool has_form = (with_score || fields.size() == kNumbers + 1) &&
                        are_all_numbers(std::span(fields).subspan(1)) && !parse_number(fields[0]);
  const std::string fault =
      has_form ? fault_of_numbers(std::span(fields).subspan(1, kNumbers), with_score)
               : "has " + counted(std::ssize(fields), "field", "fields") +
                     ", must be a type and 14 numbers";
  if (fault.empty()) return std::nullopt;
  const std::string type = type_of_words(fields);
  if (!type.empty() && !parse_number(fields[0]))
    return Message{.what = "has the type " + in_quotes(type) + ", must be one word",
                   .fix = "write it without blanks in every line"};
  return Message{.what = fault, .fix = "correct this line"};
}

bool is_of_kitti(const std::vector<std::string_view>& fields) {
  return !fields.empty() && !parse_number(fields[0]) &&
         (!kitti_fault(fields) || !type_of_words(fields).empty());
}

}  // namespace letterpress::annotations
