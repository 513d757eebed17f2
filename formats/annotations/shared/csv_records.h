#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace letterpress::annotations {

/// One record of a CSV file: fields without their quotes; blanks around a field that is not quoted
/// are left out.
struct CsvRecord {
  std::int64_t line = 0;  ///< of its first character, from 1
  std::vector<std::string> fields;
  std::string fault;  ///< why the record cannot be read; empty: it can
  bool is_first = false;
};

/// Whether a field is what pandas and spreadsheets write for an empty one: NaN, None, <NA>.
bool stands_for_empty(std::string_view field);

/// What separates the fields of a text: of comma, semicolon, tab and bar the one that its first
/// line that is not empty has most of.
char csv_separator(std::string_view text);

/// The text with `\n` at the ends of its lines, where it has `\r` alone, as of old on a Mac.
std::string with_line_feeds(std::string text);

/// The records of a text (RFC 4180: quotes doubled within quotes; csv_separator between fields);
/// lines that are empty, or have empty fields alone (Excel's `,,,,,`), and a byte order mark are
/// left out. A quote that is never closed costs its own line only, so that one bad line does not
/// swallow the file; for that, a field ends with its line.
class CsvRecords {
 public:
  explicit CsvRecords(std::string_view text);
  /// Of a text that starts below so many lines of its file.
  CsvRecords(std::string_view text, char separator, std::int64_t lines_above);
  bool next();  ///< false after the last record
  const CsvRecord& record() const noexcept { return record_; }

 private:
  std::string_view rest_;
  char separator_;
  std::int64_t line_ = 0;
  CsvRecord record_;
};

}  // namespace letterpress::annotations
