#include "csv_records.h"

#include "formats/annotations/files/text.h"

namespace letterpress::annotations {
namespace {

// The field at the front of `line`, taken off with its comma. Sets `more` when a comma followed.
std::string take_quoted(std::string_view& line, bool& more, std::string& fault) {
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
  const std::string_view behind = trim(line.substr(0, line.find(',')));
  if (!behind.empty()) fault = in_quotes(behind) + " follows a closing quote";
  more = line.find(',') != std::string_view::npos;
  take_until(line, ',');
  return value;
}

}  // namespace

CsvRecords::CsvRecords(std::string_view text) : rest_(text) {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
}

bool CsvRecords::next() {
  while (!rest_.empty()) {
    ++line_;
    std::string_view line = trim(take_until(rest_, '\n'));
    if (line.empty()) continue;
    record_ = {line_, {}, {}};
    bool more = true;
    while (more) {
      const std::size_t start = line.find_first_not_of(" \t");
      if (start != std::string_view::npos && line[start] == '"') {
        line.remove_prefix(start);
        record_.fields.push_back(take_quoted(line, more, record_.fault));
      } else {
        more = line.find(',') != std::string_view::npos;
        record_.fields.emplace_back(trim(take_until(line, ',')));
      }
    }
    return true;
  }
  return false;
}

}  // namespace letterpress::annotations
