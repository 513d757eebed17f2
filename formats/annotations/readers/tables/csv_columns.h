#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "formats/annotations/shared/csv_records.h"
#include "letterpress/base/error.h"

namespace letterpress::annotations {

/// Where a CSV file has what; six columns path,x1,y1,x2,y2,class where no header says otherwise.
struct CsvColumns {
  enum class Form { corners, corner_and_size, centre_and_size };
  /// The two columns that place a box on one axis.
  struct Axis {
    std::size_t first = 0, second = 0;
    Form form = Form::corners;
    std::optional<std::size_t> picture{};  ///< the picture's size on this axis
    bool operator==(const Axis&) const = default;
  };
  std::size_t n = 6, path = 0, label = 5;
  std::size_t named = 6;                         ///< those behind, of `...,class,,`, are empty
  std::array<Axis, 2> axes{{{1, 3}, {2, 4}}};    ///< x, y
  std::string names = "path,x1,y1,x2,y2,class";  ///< where no header has others
  std::string fix = "write path,x1,y1,x2,y2,class, or path,,,,, for a picture without a box";
  /// Whether each column is what it is there.
  bool are_as(const CsvColumns& other) const noexcept {
    return n == other.n && path == other.path && label == other.label && axes == other.axes;
  }
};

/// How to mend a corner that is not a coordinate.
std::string fix_of_corner(const std::string& field, const CsvColumns& columns);

/// makesense.ai's rows have no header: class, x, y, width, height, picture and its two sizes.
bool is_makesense_row(const CsvRecord& record);
CsvColumns makesense_columns();

/// Six words or more in the first record, and maybe empty fields at its end, none of them a number
/// or a picture.
bool is_csv_header(const CsvRecord& record);
/// Two known words of columns or more, and beside them nothing but empty fields.
bool names_columns_only(const CsvRecord& record);
/// Whether one of its words is a box's coordinate.
bool names_coordinates(const CsvRecord& header);
/// How many of its words are known, those for a whole box among them.
std::size_t known_words(const CsvRecord& header);
/// What a header says: names of the columns in any order and spelling ("X_Min", "bbox_width").
/// Throws Error when a word is not known or they do not make a box; the word decides, never the
/// place. `width` beside two corners is the picture's.
CsvColumns csv_columns(const CsvRecord& header, const std::string& where);

}  // namespace letterpress::annotations
