#include "csv_columns.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "letterpress/base/picture_extension.h"
#include "letterpress/base/suggest.h"
#include "text.h"

namespace letterpress::annotations {
namespace {

enum class Word { path, label, low, zero, one, high, centre, size, picture_size };
constexpr std::size_t kWords = 9;

struct Meaning {
  Word word;
  std::size_t axis = 0;
};

const std::unordered_map<std::string_view, Meaning>& meanings() {
  using enum Word;
  static const std::unordered_map<std::string_view, Meaning> known{
      {"path", {path}},
      {"file", {path}},
      {"filename", {path}},
      {"filepath", {path}},
      {"image", {path}},
      {"imagename", {path}},
      {"imagepath", {path}},
      {"imagefile", {path}},
      {"imageid", {path}},
      {"img", {path}},
      {"imgpath", {path}},
      {"imgname", {path}},
      {"picture", {path}},
      {"class", {label}},
      {"classname", {label}},
      {"classid", {label}},
      {"label", {label}},
      {"labelname", {label}},
      {"labelid", {label}},
      {"category", {label}},
      {"categoryname", {label}},
      {"x", {low, 0}},
      {"xmin", {low, 0}},
      {"minx", {low, 0}},
      {"left", {low, 0}},
      {"xtl", {low, 0}},
      {"x0", {zero, 0}},
      {"x1", {one, 0}},
      {"x2", {high, 0}},
      {"xmax", {high, 0}},
      {"maxx", {high, 0}},
      {"right", {high, 0}},
      {"xbr", {high, 0}},
      {"cx", {centre, 0}},
      {"xc", {centre, 0}},
      {"xcenter", {centre, 0}},
      {"xcentre", {centre, 0}},
      {"centerx", {centre, 0}},
      {"centrex", {centre, 0}},
      {"w", {size, 0}},
      {"width", {size, 0}},
      {"imagewidth", {picture_size, 0}},
      {"imgwidth", {picture_size, 0}},
      {"imgw", {picture_size, 0}},
      {"y", {low, 1}},
      {"ymin", {low, 1}},
      {"miny", {low, 1}},
      {"top", {low, 1}},
      {"ytl", {low, 1}},
      {"y0", {zero, 1}},
      {"y1", {one, 1}},
      {"y2", {high, 1}},
      {"ymax", {high, 1}},
      {"maxy", {high, 1}},
      {"bottom", {high, 1}},
      {"ybr", {high, 1}},
      {"cy", {centre, 1}},
      {"yc", {centre, 1}},
      {"ycenter", {centre, 1}},
      {"ycentre", {centre, 1}},
      {"centery", {centre, 1}},
      {"centrey", {centre, 1}},
      {"h", {size, 1}},
      {"height", {size, 1}},
      {"imageheight", {picture_size, 1}},
      {"imgheight", {picture_size, 1}},
      {"imgh", {picture_size, 1}}};
  return known;
}

std::optional<Meaning> meaning_of(const std::string& word) {
  std::string plain;
  for (const char c : word) {
    if (c >= 'A' && c <= 'Z') plain += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) plain += c;
  }
  for (const std::string_view prefix : {"bndbox", "bbox", "box"}) {
    if (plain.starts_with(prefix)) plain.erase(0, prefix.size());
  }
  const auto known = meanings().find(plain);
  return known == meanings().end() ? std::nullopt : std::optional(known->second);
}

// Which column has which meaning.
class Header {
 public:
  Header(const CsvRecord& record, const std::string& where) : record_(record), where_(where) {
    for (std::size_t i = 0; i < record.fields.size(); ++i) place(i);
  }

  CsvColumns columns() const {
    CsvColumns columns{.n = record_.fields.size(),
                       .path = need(Word::path, 0, "a picture's path"),
                       .label = need(Word::label, 0, "a class")};
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

  void place(std::size_t i) {
    const std::string& word = record_.fields[i];
    const std::string column = "column " + std::to_string(i + 1) + " is called " + in_quotes(word);
    const std::optional<Meaning> meaning = meaning_of(word);
    if (!meaning) refuse(column + ", which is not known");
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
  std::array<std::array<Place, kWords>, 2> places_{};
};

}  // namespace

bool is_csv_header(const CsvRecord& record) {
  return record.line == 1 && record.fault.empty() && record.fields.size() >= CsvColumns{}.n &&
         std::ranges::none_of(record.fields, [](const std::string& field) {
           return field.empty() || parse_number(field) || has_picture_extension(field);
         });
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
