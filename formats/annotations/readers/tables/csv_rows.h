#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "csv_columns.h"
#include "formats/annotations/shared/csv_records.h"

namespace letterpress::annotations {

/// The lines above a CSV file's header or first row: comments, which begin with `#`, and Excel's
/// `sep=;`, which states the separator. `#` may also begin a header (`#filename,...`) or a
/// picture's name, so that a line of column names only, and one of six fields with a picture or a
/// box, is not a comment.
struct CsvPreamble {
  std::size_t bytes = 0;
  std::int64_t lines = 0, comments = 0;
  char separator = ',';  ///< of the records below, stated or by csv_separator
};
CsvPreamble csv_preamble(std::string_view text);
/// The records below it, with their lines in the file.
CsvRecords records_below(const CsvPreamble& preamble, std::string_view text);

/// The rows of a CSV file, one box or background each, and which of their columns is what. A line
/// further down that is the header again, as `cat a.csv b.csv` leaves it, is not a row.
class CsvRows {
 public:
  /// The text must outlive it. path: of the file, for messages.
  CsvRows(std::string_view text, std::string path);
  /// False after the last row. Throws Error where the header is not one of boxes, and at a line of
  /// column names that is another header.
  bool next();
  const CsvRecord& record() const noexcept { return records_.record(); }
  const CsvColumns& columns() const noexcept { return columns_; }
  std::int64_t comments_above() const noexcept { return preamble_.comments; }
  /// Which headers were passed over; after the last row.
  void add_to(std::vector<std::string>& remarks) const;

 private:
  std::string where() const;
  bool take_header();
  void pass_over_header();

  std::string path_;
  CsvPreamble preamble_;
  CsvRecords records_;
  CsvColumns columns_;
  std::string header_;  ///< as written; empty: there is none
  std::int64_t repeated_ = 0, first_repeated_ = 0;
};

}  // namespace letterpress::annotations
