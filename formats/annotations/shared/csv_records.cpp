#include "csv_records.h"

#include <algorithm>
#include <array>

#include "formats/annotations/files/text.h"

namespace letterpress::annotations {
namespace {

// The field at the front of `line`, taken off with its comma. Sets `more` when a comma followed.
std::string take_quoted(std::string_view& line, char separator, bool& more, std::string& fault) {
  std::string value;
  std::size_t i = 1;
  for (;; ++i) {
    if (i >= line.size()) {
      fault = "a quote is opened and not closed on this line";
      line = {};
      more = false;
      return value;
    }
    if (line[i] != '"') {
      value += line[i];
    } else if (i + 1 < line.size() && line[i + 1] == '"') {
      value += line[i++];
    } else {
      break;
    }
  }
  line.remove_prefix(i + 1);
  const std::string_view behind = trim(line.substr(0, line.find(separator)));
  if (!behind.empty()) fault = in_quotes(behind) + " follows a closing quote";
  more = line.find(separator) != std::string_view::npos;
  take_until(line, separator);
  return value;
}

}  // namespace

bool stands_for_empty(std::string_view field) {
  constexpr std::array<std::string_view, 8> kWritten{"NaN",  "nan",  "None", "null",
                                                     "NULL", "<NA>", "N/A",  "#N/A"};
  return std::ranges::find(kWritten, field) != kWritten.end();
}

char csv_separator(std::string_view text) {
  Lines lines(text);
  lines.next();
  const auto count = [&](char c) { return std::ranges::count(lines.text(), c); };
  char most = ',';
  for (const char separator : {';', '\t', '|'}) {
    if (count(separator) > count(most)) most = separator;
  }
  return most;
}

std::string with_line_feeds(std::string text) {
  if (text.find('\n') == text.npos) std::ranges::replace(text, '\r', '\n');
  return text;
}

CsvRecords::CsvRecords(std::string_view text) : CsvRecords(text, csv_separator(text), 0) {}

CsvRecords::CsvRecords(std::string_view text, char separator, std::int64_t lines_above)
    : rest_(text), separator_(separator), line_(lines_above) {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
}

bool CsvRecords::next() {
  while (!rest_.empty()) {
    ++line_;
    // Fields at the ends may be empty, so that tabs there count.
    std::string_view line = take_until(rest_, '\n');
    if (line.find_first_not_of(std::string{separator_, ' ', '\t', '\r'}) == line.npos) continue;
    line = separator_ == '\t' ? line.substr(0, line.find_last_not_of('\r') + 1) : trim(line);
    const bool is_first = record_.line == 0;
    record_ = {.line = line_, .fields = {}, .fault = {}, .is_first = is_first};
    bool more = true;
    while (more) {
      const std::size_t start = line.find_first_not_of(separator_ == '\t' ? " " : " \t");
      if (start != std::string_view::npos && line[start] == '"') {
        line.remove_prefix(start);
        record_.fields.push_back(take_quoted(line, separator_, more, record_.fault));
      } else {
        more = line.find(separator_) != std::string_view::npos;
        record_.fields.emplace_back(trim(take_until(line, separator_)));
      }
    }
    return true;
  }
  return false;
}

}  // namespace letterpress::annotations
