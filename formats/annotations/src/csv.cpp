// CSV (RFC 4180): one box per row, path,x1,y1,x2,y2,class; a picture without a box has its path and
// five empty fields (the form of keras-retinanet's README). The first line may be a header.
#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "class_names.h"
#include "csv_records.h"
#include "format.h"
#include "letterpress/base/error.h"
#include "letterpress/base/picture_extension.h"
#include "picture_finder.h"
#include "text.h"

namespace letterpress::annotations {
extern const AnnotationFormat csv;
namespace {

constexpr std::size_t kFields = 6;
constexpr std::string_view kFix =
    "write path,x1,y1,x2,y2,class, or path,,,,, for a picture without a box";
constexpr std::string_view kFixCoordinate =
    "correct this corner, in pixels of the picture, or remove the row";
constexpr std::string_view kFixQuotes =
    "quote a whole field or none of it, and write a quote within one twice";

std::optional<Message> row_fault(const std::string& what) {
  return Message{.what = what, .fix = std::string(kFix)};
}

bool has_corners(const CsvRecord& record) {
  return record.fault.empty() && record.fields.size() == kFields &&
         std::all_of(record.fields.begin() + 1, record.fields.begin() + 5,
                     [](const std::string& f) { return parse_number(f).has_value(); });
}

bool is_background(const CsvRecord& record) {
  return record.fault.empty() && record.fields.size() == kFields &&
         std::all_of(record.fields.begin() + 1, record.fields.end(),
                     [](const std::string& f) { return f.empty(); });
}

// "filename,xmin,ymin,xmax,ymax,label": the first line, with words instead of a picture and its
// corners.
bool is_header(const CsvRecord& record) {
  return record.line == 1 && record.fault.empty() && record.fields.size() == kFields &&
         !has_picture_extension(record.fields[0]) &&
         std::none_of(record.fields.begin(), record.fields.begin() + 5,
                      [](const std::string& f) { return f.empty() || parse_number(f); });
}

// The axis that a header's word names in any spelling ("X_Min"): x, y, 's' for a width or height, 0
// for other words.
char axis_of(const std::string& word) {
  std::string plain;
  for (const char c : word) {
    if (c >= 'A' && c <= 'Z') plain += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) plain += c;
  }
  static const std::unordered_map<std::string_view, char> kAxes{
      {"x", 'x'},      {"x0", 'x'},   {"x1", 'x'},    {"x2", 'x'},   {"xmin", 'x'},
      {"xmax", 'x'},   {"left", 'x'}, {"right", 'x'}, {"y", 'y'},    {"y0", 'y'},
      {"y1", 'y'},     {"y2", 'y'},   {"ymin", 'y'},  {"ymax", 'y'}, {"top", 'y'},
      {"bottom", 'y'}, {"w", 's'},    {"width", 's'}, {"h", 's'},    {"height", 's'}};
  const auto axis = kAxes.find(plain);
  return axis == kAxes.end() ? '\0' : axis->second;
}

// x,y,width,height or xmin,xmax,ymin,ymax, read as two corners, would give wrong boxes that look
// right.
void check_order(const CsvRecord& header, const std::string& where) {
  constexpr std::string_view kOrder = "xyxy";
  for (std::size_t i = 0; i < kOrder.size(); ++i) {
    const std::string& word = header.fields[i + 1];
    const char axis = axis_of(word);
    if (axis == '\0' || axis == kOrder[i]) continue;
    throw Error({.where = where,
                 .what = "column " + std::to_string(i + 2) + " is called " + in_quotes(word) +
                         ", must be path,x1,y1,x2,y2,class in this order, corners and no sizes",
                 .fix = "write the columns like this, or correct the header"});
  }
}

using Rows = std::vector<CsvRecord>;  // of one picture, maybe far apart

class CsvReader {
 public:
  CsvReader(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : path_(input.path.string()),
        classes_file_(options.classes.filename().string()),
        options_(options),
        files_(input.files),
        finder_(files_, input.folder(), {input.folder()}, options),
        set_(set) {}

  void read(const std::string& text) {
    collect(text);
    set_classes();
    for (const auto& rows : pictures_) read_picture(rows);
  }

 private:
  std::string where(const CsvRecord& record) const {
    return path_ + ":" + std::to_string(record.line);
  }

  void collect(const std::string& text) {
    CsvRecords records(text);
    std::unordered_map<std::string, std::size_t> places;
    while (records.next()) {
      CsvRecord record = records.record();
      if (is_header(record)) {
        check_order(record, where(record));
        continue;
      }
      const std::string name = record.fields.empty() ? "" : record.fields[0];
      const auto [place, fresh] = places.emplace(name, pictures_.size());
      if (fresh) pictures_.emplace_back();
      pictures_[place->second].push_back(std::move(record));
    }
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
    if (!has_corners(record) || record.fields[5].empty() || class_name_fault(record.fields[5]))
      return;
    if (parse_integer(record.fields[5])) {
      throw Error({.where = where(record),
                   .what = "class " + in_quotes(record.fields[5]) + " is an id without a name",
                   .fix = "give --classes FILE (one class name per line)"},
                  Exit::usage);
    }
    if (ids_.emplace(record.fields[5], 0).second) set_.classes.push_back(record.fields[5]);
  }

  void read_picture(const Rows& rows) {
    const auto n = static_cast<std::int64_t>(std::count_if(
        rows.begin(), rows.end(), [](const CsvRecord& record) { return !is_background(record); }));
    Item item;
    item.where = where(rows.front());
    item.name = rows.front().fields.empty() ? "" : rows.front().fields[0];
    if (n > options_.max_boxes)
      return refuse(item, too_many_boxes(item.where, n, options_.max_boxes), n);
    for (const CsvRecord& record : rows) {
      if (is_background(record)) continue;
      if (const auto fault = read_box(record, item.boxes.emplace_back()))
        return refuse(item, {where(record), fault->what, fault->fix}, n);
    }
    Expected<std::string> path = finder_.find(item.name, item.where);
    if (!path) return reject_picture(set_, path.reject(), n);
    item.path = std::move(*path);
    set_.boxes_found += n;
    add_picture(set_, std::move(item));
  }

  void refuse(const Item& item, Reject reject, std::int64_t boxes) {
    reject_picture(set_, finder_.of_picture(std::move(reject), item.name), boxes);
  }

  // Why this is not a box, or nothing.
  std::optional<Message> read_box(const CsvRecord& record, LabelBox& box) const {
    if (!record.fault.empty()) return Message{.what = record.fault, .fix = std::string(kFixQuotes)};
    const auto n = static_cast<std::int64_t>(record.fields.size());
    if (record.fields.size() != kFields)
      return row_fault("got " + counted(n, "field", "fields") + ", must be 6");
    const std::array<float*, 4> sides{&box.x1, &box.y1, &box.x2, &box.y2};
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const Coordinate coordinate = parse_coordinate(record.fields[i + 1]);
      if (!coordinate.fault.empty()) {
        return Message{
            .what = "field " + std::to_string(i + 2) + ": " + coordinate.fault,
            .fix = std::string(parse_number(record.fields[i + 1]) ? kFixCoordinate : kFix)};
      }
      *sides[i] = static_cast<float>(coordinate.value);
    }
    return read_class(record.fields[5], box.class_id);
  }

  // By its name; else by its id, which only a file of names (--classes) explains.
  std::optional<Message> read_class(const std::string& text, std::int32_t& id) const {
    if (const auto named = ids_.find(text); named != ids_.end()) {
      id = named->second;
      return std::nullopt;
    }
    if (text.empty()) return row_fault("class '' is not a name");
    if (const auto fault = class_name_fault(text))
      return Message{.what = "class " + in_quotes(text) + " " + fault->what, .fix = fault->fix};
    if (!parse_integer(text)) {
      return Message{.what = "class " + in_quotes(text) + " is not in " + classes_file_,
                     .fix = "correct the name or add it to " + classes_file_};
    }
    const Expected<std::int32_t> parsed = parse_class(text, set_.classes, classes_file_);
    if (!parsed) return parsed.reject();
    id = *parsed;
    return std::nullopt;
  }

  std::string path_, classes_file_;
  const AnnotationOptions& options_;
  FileTree files_;
  PictureFinder finder_;
  AnnotationSet& set_;
  std::vector<Rows> pictures_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

Recognition recognise(const Input& input, const AnnotationOptions&) {
  if (input.is_folder) return {false, "a folder, must be a CSV file"};
  if (!input.is_text) return {false, "holds NUL bytes, must be text"};
  CsvRecords records(input.head);
  while (records.next()) {
    const CsvRecord& record = records.record();
    const std::string line = "line " + std::to_string(record.line);
    if (is_header(record))
      return {true, line + " is a header of six columns, the first " + in_quotes(record.fields[0])};
    if (has_corners(record)) return {true, line + " has the six fields path,x1,y1,x2,y2,class"};
  }
  return {false, "no line has the six fields path,x1,y1,x2,y2,class"};
}

void read(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  CsvReader(input, options, set).read(input.files.read_text(input.path));
}

}  // namespace

constinit const AnnotationFormat csv{
    "csv", "CSV: path,x1,y1,x2,y2,class a line, classes by name, or by id with --classes",
    recognise, read};

}  // namespace letterpress::annotations
