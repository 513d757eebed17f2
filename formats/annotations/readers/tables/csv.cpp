// CSV (RFC 4180): one box per row, path,x1,y1,x2,y2,class; a picture without a box has its path and
// five empty fields (the form of keras-retinanet's README). The first line, below comments, may be
// a header, whose words then say which column is what.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <unordered_map>

#include "csv_rows.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/pictures/comment_lines.h"
#include "formats/annotations/pictures/names_by_id.h"
#include "formats/annotations/pictures/picture_finder.h"
#include "formats/annotations/shared/class_names.h"
#include "formats/annotations/shared/csv_records.h"
#include "formats/annotations/shared/format.h"
#include "letterpress/base/error.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
extern const AnnotationFormat csv;
namespace {

constexpr std::string_view kFixQuotes =
    "quote a whole field or none of it, and write a quote within one twice";
constexpr std::string_view kFixEmpty =
    "write the class, or leave box and class empty for a picture without a box; if this is a name, "
    "list it in --classes FILE";

template <class Holds>
bool every_coordinate(const CsvRecord& record, const CsvColumns& columns, Holds holds) {
  return record.fault.empty() && record.fields.size() == columns.n &&
         std::ranges::all_of(columns.axes, [&](const CsvColumns::Axis& axis) {
           return holds(record.fields[axis.first]) && holds(record.fields[axis.second]);
         });
}

bool has_box(const CsvRecord& record, const CsvColumns& columns) {
  return every_coordinate(record, columns,
                          [](const std::string& f) { return parse_number(f).has_value(); });
}

bool is_background(const CsvRecord& record, const CsvColumns& columns) {
  return every_coordinate(record, columns, [](const std::string& f) { return f.empty(); }) &&
         record.fields[columns.label].empty();
}

// Corners on one axis.
std::array<float, 2> corners_of(double first, double second, CsvColumns::Form form) {
  const double low = form == CsvColumns::Form::centre_and_size ? first - second / 2 : first;
  const double high = form == CsvColumns::Form::corners ? second : low + second;
  return {static_cast<float>(low), static_cast<float>(high)};
}

std::string name_in(const CsvRecord& record, const CsvColumns& columns) {
  return columns.path < record.fields.size() ? record.fields[columns.path] : "";
}

std::int32_t stated_size(const CsvRecord& record, const CsvColumns::Axis& axis) {
  const auto size = axis.picture && *axis.picture < record.fields.size()
                        ? parse_integer(record.fields[*axis.picture])
                        : std::nullopt;
  return size && is_picture_side(*size) ? static_cast<std::int32_t>(*size) : 0;
}

using Rows = std::vector<CsvRecord>;  // of one picture, maybe far apart

class CsvReader {
 public:
  CsvReader(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : path_(input.path.string()),
        classes_file_(options.classes.filename().string()),
        options_(options),
        files_(input.files),
        finder_(files_, input.folder(), {input.folder()}, options, input.path),
        set_(set) {}

  void read(const std::string& text) {
    collect(text);
    set_classes();
    for (const auto& rows : pictures_) read_picture(rows);
    finder_.notes().add_to(set_.remarks);
  }

 private:
  std::string where(const CsvRecord& record) const {
    return path_ + ":" + std::to_string(record.line);
  }

  Message row_fault(const std::string& what) const { return {.what = what, .fix = columns_.fix}; }

  void collect(const std::string& text) {
    CsvRows rows(text, path_);
    CommentLines comments;
    comments.add(rows.comments_above());
    std::unordered_map<std::string, std::size_t> places;
    while (rows.next()) {
      const std::string name = name_in(rows.record(), rows.columns());
      if (comments.passes_over(finder_, name)) continue;
      const auto [place, fresh] = places.emplace(name, pictures_.size());
      if (fresh) pictures_.emplace_back();
      pictures_[place->second].push_back(rows.record());
    }
    columns_ = rows.columns();
    comments.add_to(set_.remarks);
    rows.add_to(set_.remarks);
  }

  // --classes; else the names in the file, sorted. Ids need a file that names them.
  void set_classes() {
    set_.lists_classes = !options_.classes.empty();
    if (!options_.classes.empty()) {
      set_.classes = read_class_names(files_, options_.classes);
    } else {
      for (const Rows& rows : pictures_) {
        for (const CsvRecord& record : rows) add_class(record);
      }
      std::sort(set_.classes.begin(), set_.classes.end());
    }
    ids_.clear();
    for (std::size_t i = 0; i < set_.classes.size(); ++i)
      ids_.emplace(set_.classes[i], static_cast<std::int32_t>(i));
  }

  void add_class(const CsvRecord& record) {
    if (!has_box(record, columns_)) return;
    const std::string& name = record.fields[columns_.label];
    if (name.empty() || stands_for_empty(name) || class_name_fault(name)) return;
    if (parse_integer(name)) {
      throw Error({.where = where(record),
                   .what = "class " + in_quotes(name) + " is an id without a name",
                   .fix = "give --classes FILE (one class name per line)"},
                  Exit::usage);
    }
    if (ids_.emplace(name, 0).second) set_.classes.push_back(name);
  }

  void read_picture(const Rows& rows) {
    const std::int64_t n = std::ranges::count_if(
        rows, [&](const CsvRecord& record) { return !is_background(record, columns_); });
    Item item;
    item.where = where(rows.front());
    item.name = name_in(rows.front(), columns_);
    item.width = stated_size(rows.front(), columns_.axes[0]);
    item.height = stated_size(rows.front(), columns_.axes[1]);
    if (n > options_.max_boxes)
      return refuse(item, too_many_boxes(item.where, n, options_.max_boxes), n);
    for (const CsvRecord& record : rows) {
      if (stated_size(record, columns_.axes[0]) != item.width ||
          stated_size(record, columns_.axes[1]) != item.height)
        return refuse(item,
                      {where(record), "states another size of its picture than " + item.where,
                       "correct the one that is wrong"},
                      n);
      if (is_background(record, columns_)) continue;
      if (const auto fault = read_box(record, item.boxes.emplace_back()))
        return refuse(item, {where(record), fault->what, fault->fix}, n);
    }
    Expected<std::string> path = find_picture(item);
    if (!path) return reject_picture(set_, path.reject(), n);
    item.path = std::move(*path);
    set_.boxes_found += n;
    add_picture(set_, std::move(item));
  }

  // By its name; by an id without an extension, the one picture that is called so but for its own.
  Expected<std::string> find_picture(Item& item) {
    if (has_picture_extension(item.name) || has_unread_picture_extension(item.name))
      return finder_.find(item.name, item.where);
    std::vector<std::string> names = picture_names_by_id(item.name, ""), there;
    for (const std::string& name : names) {
      if (finder_.find_as_written(std::span(&name, 1), item.where)) there.push_back(name);
    }
    names.insert(names.begin(), item.name);
    if (there.size() > 1) return finder_.two_pictures(there[0], there[1], names, item.where);
    Expected<std::string> path = finder_.find(names, item.where);
    if (!path) return path;
    item.name = name_of(*path, names);
    return path;
  }

  void refuse(const Item& item, Reject reject, std::int64_t boxes) {
    reject_picture(set_, finder_.of_picture(std::move(reject), item.name), boxes);
  }

  // Why this is not a box, or nothing.
  std::optional<Message> read_box(const CsvRecord& record, LabelBox& box) const {
    if (!record.fault.empty()) return Message{.what = record.fault, .fix = std::string(kFixQuotes)};
    const auto n = static_cast<std::int64_t>(record.fields.size());
    if (record.fields.size() != columns_.n) {
      return row_fault("got " + counted(n, "field", "fields") + ", must be " +
                       std::to_string(columns_.n));
    }
    const auto behind = std::span(record.fields).subspan(columns_.named);
    if (std::ranges::any_of(behind, [](const std::string& field) { return !field.empty(); }))
      return row_fault("has more fields than the header names columns");
    std::array<std::array<float, 2>, 2> corners{};
    for (std::size_t axis = 0; axis < corners.size(); ++axis) {
      if (auto fault = read_axis(record, columns_.axes[axis], corners[axis])) return fault;
    }
    box = {.x1 = corners[0][0], .y1 = corners[1][0], .x2 = corners[0][1], .y2 = corners[1][1]};
    return read_class(record.fields[columns_.label], box.class_id);
  }

  std::optional<Message> read_axis(const CsvRecord& record, const CsvColumns::Axis& axis,
                                   std::array<float, 2>& corners) const {
    std::array<double, 2> values{};
    for (const std::size_t i : {axis.first, axis.second}) {
      const Coordinate coordinate = parse_coordinate(record.fields[i]);
      if (!coordinate.fault.empty()) {
        return Message{.what = "field " + std::to_string(i + 1) + ": " + coordinate.fault,
                       .fix = fix_of_corner(record.fields[i], columns_)};
      }
      values[i == axis.first ? 0 : 1] = coordinate.value;
    }
    corners = corners_of(values[0], values[1], axis.form);
    return std::nullopt;
  }

  // By its name; else by its id, which only a file of names (--classes) explains.
  std::optional<Message> read_class(const std::string& text, std::int32_t& id) const {
    if (const auto named = ids_.find(text); named != ids_.end()) {
      id = named->second;
      return std::nullopt;
    }
    if (text.empty()) return row_fault("class '' is not a name");
    if (stands_for_empty(text))
      return Message{.what = "the class is " + text + ", which pandas writes for an empty field",
                     .fix = std::string(kFixEmpty)};
    if (const auto fault = class_name_fault(text))
      return Message{.what = "class " + in_quotes(text) + " " + fault->what, .fix = fault->fix};
    if (!parse_integer(text)) {
      return Message{.what = "class " + in_quotes(text) + " is not in " + classes_file_,
                     .fix = "correct the name or add it to " + classes_file_};
    }
    const Expected<std::int32_t> parsed = parse_class(text, set_.classes, classes_file_);
    if (!parsed) return parsed.reject();
    id = *parsed;
    set_.classes_by_place = true;
    return std::nullopt;
  }

  std::string path_, classes_file_;
  const AnnotationOptions& options_;
  FileTree files_;
  PictureFinder finder_;
  AnnotationSet& set_;
  CsvColumns columns_;
  std::vector<Rows> pictures_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

Recognition by_place(const CsvRecord& record, const std::string& fields,
                     const CsvColumns& columns) {
  return {.fits = true,
          .why = "no header; line " + std::to_string(record.line) + " has the " + fields +
                 " fields " + columns.names,
          .is_guess = true};
}

Recognition recognise_csv(const Input& input, const AnnotationOptions&) {
  if (input.is_folder) return {false, "a folder, must be a CSV file"};
  if (!input.is_text) return {false, "holds NUL bytes, must be text"};
  if (input.head.starts_with("ImageID,Source,")) return {false, "has the header of Open Images"};
  const CsvColumns columns;
  const std::string head = with_line_feeds(input.head);
  CsvRecords records = records_below(csv_preamble(head), head);
  while (records.next()) {
    const CsvRecord& record = records.record();
    if (record.is_first && record.fields[0].starts_with('<'))
      return {false, "starts with '<', as an XML does"};
    if (record.is_first && is_makesense_row(record))
      return by_place(record, "eight", makesense_columns());
    if (is_csv_header(record) && (record.fields.size() == columns.n || names_coordinates(record))) {
      return {true, "line " + std::to_string(record.line) + " is a header of " +
                        std::to_string(record.fields.size()) + " columns, the first " +
                        in_quotes(record.fields[0])};
    }
    if (has_box(record, columns)) return by_place(record, "six", columns);
  }
  return {false, "no line has the six fields " + columns.names};
}

void read_csv(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  CsvReader(input, options, set).read(with_line_feeds(read_list_file(input.files, input.path)));
}

}  // namespace

constinit const AnnotationFormat csv{
    "csv",
    "CSV: path,x1,y1,x2,y2,class a line, or as a header says; classes by name, or by id with "
    "--classes",
    recognise_csv, read_csv};

}  // namespace letterpress::annotations
