#include "csv_rows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "formats/annotations/files/text.h"
#include "letterpress/base/error.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";  // byte order mark

// ';' of "sep=;", which spreadsheets may fill up with it ("sep=;;;;"). Blanks are not cut off: one
// may be the tab.
std::optional<char> stated_separator(std::string_view line) {
  constexpr std::string_view kStart = "sep=", kKnown = ",;\t|";
  while (line.ends_with('\r') || line.ends_with('"')) line.remove_suffix(1);
  if (line.starts_with('"')) line.remove_prefix(1);
  if (line.size() <= kStart.size() || in_small_letters(line.substr(0, kStart.size())) != kStart)
    return std::nullopt;
  const char separator = line[kStart.size()];
  const bool is_all = line.find_first_not_of(separator, kStart.size()) == line.npos;
  return is_all && kKnown.find(separator) != kKnown.npos ? std::optional(separator) : std::nullopt;
}

bool is_comment(std::string_view line) {
  if (!trim(line).starts_with('#')) return false;
  CsvRecords records(line);
  records.next();
  const CsvRecord& record = records.record();
  if (names_columns_only(record)) return false;
  constexpr std::ptrdiff_t kCorners = 4;
  const bool has_place = std::ranges::any_of(record.fields, has_picture_extension) ||
                         std::ranges::count_if(record.fields, [](const std::string& field) {
                           return parse_number(field).has_value();
                         }) >= kCorners;
  return record.fields.size() < CsvColumns{}.n || !has_place;
}

// Whether a header says what is known of the columns already.
bool says_again(const CsvRecord& header, const CsvColumns& columns) {
  try {
    return csv_columns(header, "").are_as(columns);
  } catch (const Error&) {  // it is not a header of boxes
    return false;
  }
}

std::string in_one_line(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (&word == words.data() ? "" : ",") + word;
  return text;
}

}  // namespace

CsvPreamble csv_preamble(std::string_view text) {
  CsvPreamble preamble;
  std::string_view rest = text;
  if (rest.starts_with(kMark)) rest.remove_prefix(kMark.size());
  std::optional<char> stated;
  while (!rest.empty()) {
    std::string_view below = rest;
    const std::string_view line = take_until(below, '\n');
    const std::optional<char> separator = stated_separator(line);
    const bool comment = is_comment(line);
    if (!separator && !comment && !trim(line).empty()) break;
    if (separator) stated = separator;
    preamble.comments += comment;
    ++preamble.lines;
    rest = below;
  }
  preamble.bytes = text.size() - rest.size();
  preamble.separator = stated.value_or(csv_separator(rest));
  return preamble;
}

CsvRecords records_below(const CsvPreamble& preamble, std::string_view text) {
  return CsvRecords(text.substr(preamble.bytes), preamble.separator, preamble.lines);
}

CsvRows::CsvRows(std::string_view text, std::string path)
    : path_(std::move(path)),
      preamble_(csv_preamble(text)),
      records_(records_below(preamble_, text)) {}

std::string CsvRows::where() const { return path_ + ":" + std::to_string(record().line); }

bool CsvRows::next() {
  while (records_.next()) {
    if (record().is_first && take_header()) continue;
    if (!names_columns_only(record())) return true;
    pass_over_header();
  }
  return false;
}

// Whether the first record is a header; sets the columns.
bool CsvRows::take_header() {
  if (is_makesense_row(record())) columns_ = makesense_columns();
  if (!is_csv_header(record()) && !names_columns_only(record())) return false;
  columns_ = csv_columns(record(), where());
  header_ = in_one_line(record().fields);
  return true;
}

void CsvRows::pass_over_header() {
  if (!says_again(record(), columns_)) {
    throw Error({.where = where(),
                 .what = "is a header, " + in_quotes(in_one_line(record().fields)) +
                         ", and the file " +
                         (header_.empty() ? "has none at its start, where the columns are taken as "
                                          : "starts with another, ") +
                         in_quotes(header_.empty() ? columns_.names : header_),
                 .fix = "give the two files apart, each by an --input of its own"});
  }
  if (repeated_++ == 0) first_repeated_ = record().line;
}

void CsvRows::add_to(std::vector<std::string>& remarks) const {
  if (repeated_ > 0) {
    remarks.push_back(counted(repeated_, "line is", "lines are") +
                      " the header again, and passed over; the first is line " +
                      std::to_string(first_repeated_));
  }
}

}  // namespace letterpress::annotations
