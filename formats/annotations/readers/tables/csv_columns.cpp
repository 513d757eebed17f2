#include "csv_columns.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "formats/annotations/files/text.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
namespace {

enum class Word { path, label, low, zero, one, high, centre, size, picture_size };
constexpr std::size_t kWords = 9;

struct Meaning {
  Word word;
  std::size_t axis = 0;
};

constexpr std::pair<std::string_view, Meaning> kMeanings[]{{"path", {Word::path}},
                                                           {"file", {Word::path}},
                                                           {"filename", {Word::path}},
                                                           {"filepath", {Word::path}},
                                                           {"image", {Word::path}},
                                                           {"imagename", {Word::path}},
                                                           {"imagepath", {Word::path}},
                                                           {"imagefile", {Word::path}},
                                                           {"imageid", {Word::path}},
                                                           {"img", {Word::path}},
                                                           {"imgpath", {Word::path}},
                                                           {"imgname", {Word::path}},
                                                           {"picture", {Word::path}},
                                                           {"class", {Word::label}},
                                                           {"classname", {Word::label}},
                                                           {"classid", {Word::label}},
                                                           {"label", {Word::label}},
                                                           {"labelname", {Word::label}},
                                                           {"labelid", {Word::label}},
                                                           {"category", {Word::label}},
                                                           {"categoryname", {Word::label}},
                                                           {"x", {Word::low, 0}},
                                                           {"xmin", {Word::low, 0}},
                                                           {"minx", {Word::low, 0}},
                                                           {"left", {Word::low, 0}},
                                                           {"xtl", {Word::low, 0}},
                                                           {"x0", {Word::zero, 0}},
                                                           {"x1", {Word::one, 0}},
                                                           {"x2", {Word::high, 0}},
                                                           {"xmax", {Word::high, 0}},
                                                           {"maxx", {Word::high, 0}},
                                                           {"right", {Word::high, 0}},
                                                           {"xbr", {Word::high, 0}},
                                                           {"cx", {Word::centre, 0}},
                                                           {"xc", {Word::centre, 0}},
                                                           {"xcenter", {Word::centre, 0}},
                                                           {"xcentre", {Word::centre, 0}},
                                                           {"centerx", {Word::centre, 0}},
                                                           {"centrex", {Word::centre, 0}},
                                                           {"w", {Word::size, 0}},
                                                           {"width", {Word::size, 0}},
                                                           {"imagewidth", {Word::picture_size, 0}},
                                                           {"imgwidth", {Word::picture_size, 0}},
                                                           {"imgw", {Word::picture_size, 0}},
                                                           {"y", {Word::low, 1}},
                                                           {"ymin", {Word::low, 1}},
                                                           {"miny", {Word::low, 1}},
                                                           {"top", {Word::low, 1}},
                                                           {"ytl", {Word::low, 1}},
                                                           {"y0", {Word::zero, 1}},
                                                           {"y1", {Word::one, 1}},
                                                           {"y2", {Word::high, 1}},
                                                           {"ymax", {Word::high, 1}},
                                                           {"maxy", {Word::high, 1}},
                                                           {"bottom", {Word::high, 1}},
                                                           {"ybr", {Word::high, 1}},
                                                           {"cy", {Word::centre, 1}},
                                                           {"yc", {Word::centre, 1}},
                                                           {"ycenter", {Word::centre, 1}},
                                                           {"ycentre", {Word::centre, 1}},
                                                           {"centery", {Word::centre, 1}},
                                                           {"centrey", {Word::centre, 1}},
                                                           {"h", {Word::size, 1}},
                                                           {"height", {Word::size, 1}},
                                                           {"imageheight", {Word::picture_size, 1}},
                                                           {"imgheight", {Word::picture_size, 1}},
                                                           {"imgh", {Word::picture_size, 1}}};

// In small letters, of letters and digits alone, without "bbox" and the like before it.
std::string plain_word(const std::string& word) {
  std::string plain = in_small_letters(word);
  std::erase_if(plain, [](char c) { return !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9'); });
  for (const std::string_view prefix : {"bndbox", "bbox", "box"}) {
    if (plain.starts_with(prefix)) plain.erase(0, prefix.size());
  }
  return plain;
}

// "bbox", "Boxes": how people call a column that holds all four numbers.
bool is_whole_box(const std::string& word) {
  const std::string plain = plain_word(word);
  return !word.empty() && (plain.empty() || plain == "es");
}

std::optional<Meaning> meaning_of(const std::string& word) {
  const std::string plain = plain_word(word);
  const auto* const known = std::ranges::find(kMeanings, std::string_view(plain),
                                              &std::pair<std::string_view, Meaning>::first);
  return known == std::end(kMeanings) ? std::nullopt : std::optional(known->second);
}

// What pandas writes before the first column, the numbers of its rows, and what it calls that
// column when it has read and written it again.
bool is_index(std::string_view word, std::size_t column) {
  return (column == 0 && word.empty()) || word.starts_with("Unnamed: ");
}

// How many columns a header names: tools write commas behind the last, too.
std::size_t named_columns(const CsvRecord& header) {
  std::size_t n = header.fields.size();
  while (n > 0 && header.fields[n - 1].empty()) --n;
  return n;
}

// Which column has which meaning.
class Header {
 public:
  Header(const CsvRecord& record, const std::string& where) : record_(record), where_(where) {
    for (std::size_t i = 0; i < named_columns(record); ++i) place(i);
  }

  CsvColumns columns() const {
    if (!unknown_.empty()) refuse(unknown_ + more_missing());
    CsvColumns columns{.n = record_.fields.size(),
                       .path = need(Word::path, 0, "a picture's path"),
                       .label = need(Word::label, 0, "a class"),
                       .named = named_columns(record_)};
    columns.axes = {axis(0), axis(1)};
    columns.fix =
        "write a field for each column of the header; box and class stay empty for a "
        "picture without a box";
    return columns;
  }

 private:
  using Place = std::optional<std::size_t>;

  const Place& of(Word word, std::size_t axis) const {
    return places_[axis][static_cast<std::size_t>(word)];
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error({.where = where_,
                 .what = what,
                 .fix = "name the columns filename, class and xmin, ymin, xmax, ymax, or x, y, "
                        "width, height, or x_center, y_center, width, height"});
  }

  // Of a header that has a column for the whole box all is told at once.
  std::string more_missing() const {
    if (!has_whole_box_) return {};
    return std::string(" (a box takes four columns)") +
           (of(Word::label, 0) ? "" : ", and no column is a class");
  }

  void place(std::size_t i) {
    const std::string& word = record_.fields[i];
    if (is_index(word, i)) return;
    const std::string column = "column " + std::to_string(i + 1) + " is called " + in_quotes(word);
    const std::optional<Meaning> meaning = meaning_of(word);
    const bool is_told = !meaning && is_whole_box(word) && !has_whole_box_;
    if (is_told || (!meaning && unknown_.empty())) unknown_ = column + ", which is not known";
    has_whole_box_ = has_whole_box_ || is_told;
    if (!meaning) return;
    Place& place = places_[meaning->axis][static_cast<std::size_t>(meaning->word)];
    if (place)
      refuse(column + ", and so is column " + std::to_string(*place + 1) + " by its meaning");
    place = i;
  }

  std::size_t need(Word word, std::size_t axis, const std::string& what) const {
    if (!of(word, axis)) refuse("no column of the header is " + what);
    return *of(word, axis);
  }

  CsvColumns::Axis axis(std::size_t axis) const {
    using Form = CsvColumns::Form;
    Place low = of(Word::low, axis), high = of(Word::high, axis);
    bool twice = false;
    for (const Word word : {Word::zero, Word::one}) {
      if (!of(word, axis)) continue;
      Place& corner = low ? high : low;
      twice = twice || corner;
      corner = of(word, axis);
    }
    const Place centre = of(Word::centre, axis), size = of(Word::size, axis);
    const Place picture = of(Word::picture_size, axis);
    if (low && high && !twice && !centre && !(size && picture))
      return {*low, *high, Form::corners, size ? size : picture};
    if (low && size && !high && !centre) return {*low, *size, Form::corner_and_size, picture};
    if (centre && size && !low && !high) return {*centre, *size, Form::centre_and_size, picture};
    refuse(std::string("its words for the ") + (axis == 0 ? "x" : "y") + " axis do not make a box");
  }

  const CsvRecord& record_;
  const std::string& where_;
  std::string unknown_;         // a column whose word is not known: the first, or that of a box
  bool has_whole_box_ = false;  // it is called bbox
  std::array<std::array<Place, kWords>, 2> places_{};
};

}  // namespace

CsvColumns makesense_columns() {
  using Form = CsvColumns::Form;
  return {.n = 8,
          .path = 5,
          .label = 0,
          .named = 8,
          .axes = {{{1, 3, Form::corner_and_size, 6}, {2, 4, Form::corner_and_size, 7}}},
          .names = "class,x,y,width,height,name,width,height",
          .fix = "write class,x,y,width,height,picture,width,height"};
}

bool is_makesense_row(const CsvRecord& record) {
  const CsvColumns columns = makesense_columns();
  if (!record.fault.empty() || record.fields.size() != columns.n) return false;
  for (const std::size_t i : {1, 2, 3, 4, 6, 7}) {
    if (!parse_number(record.fields[i])) return false;
  }
  return has_picture_extension(record.fields[columns.path]) && !parse_number(record.fields[0]);
}

bool is_csv_header(const CsvRecord& record) {
  const std::size_t n = named_columns(record);
  return record.is_first && record.fault.empty() && n >= CsvColumns{}.n &&
         std::ranges::none_of(std::span(record.fields).first(n), [&](const std::string& field) {
           if (is_index(field, static_cast<std::size_t>(&field - record.fields.data())))
             return false;
           return field.empty() || parse_number(field) || has_picture_extension(field);
         });
}

bool names_columns_only(const CsvRecord& record) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    const std::string& field = record.fields[i];
    if (field.empty() || is_index(field, i)) continue;
    if (!meaning_of(field)) return false;
    ++words;
  }
  return record.fault.empty() && words > 1;
}

std::string fix_of_corner(const std::string& field, const CsvColumns& columns) {
  if (parse_number(field))
    return "correct this corner, in pixels of the picture, or remove the row";
  std::string pointed = field;
  std::ranges::replace(pointed, ',', '.');
  return parse_number(pointed) ? "write a decimal point in place of the comma" : columns.fix;
}

std::size_t known_words(const CsvRecord& header) {
  return static_cast<std::size_t>(std::ranges::count_if(
      header.fields,
      [](const std::string& field) { return meaning_of(field) || is_whole_box(field); }));
}

bool names_coordinates(const CsvRecord& header) {
  return std::ranges::any_of(header.fields, [](const std::string& field) {
    const std::optional<Meaning> meaning = meaning_of(field);
    return meaning && meaning->word >= Word::low && meaning->word <= Word::centre;
  });
}

CsvColumns csv_columns(const CsvRecord& header, const std::string& where) {
  return Header(header, where).columns();
}

}  // namespace letterpress::annotations
