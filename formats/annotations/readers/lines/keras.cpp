// keras-yolo3 lists: one picture per line, `path x1,y1,x2,y2,class x1,y1,x2,y2,class ...`
// (github.com/qqwweee/keras-yolo3, README).
#include <algorithm>
#include <optional>

#include "formats/annotations/files/text.h"
#include "formats/annotations/pictures/comment_lines.h"
#include "formats/annotations/pictures/picture_finder.h"
#include "formats/annotations/shared/class_names.h"
#include "formats/annotations/shared/format.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
extern const AnnotationFormat keras;
namespace {

constexpr std::string_view kFix =
    "write path x1,y1,x2,y2,class ... with five numbers and no blanks in a box";
constexpr std::string_view kFixBlank = "remove the blank inside the box";
constexpr std::string_view kFixCoordinate =
    "correct this corner, in pixels of the picture, or remove the box";
constexpr std::string_view kBlanks = " \t";

// A field that is meant as a box, good or bad. A piece of a path with a comma ends in a picture's
// extension or has a slash.
bool is_meant_as_box(std::string_view field) {
  return field.find(',') != std::string_view::npos && field.find('/') == std::string_view::npos &&
         !has_picture_extension(field);
}

bool is_box(std::string_view field) {
  int n = 0;
  for (; !field.empty(); ++n) {
    if (!parse_number(take_until(field, ','))) return false;
  }
  return n == 5;
}

struct KerasLine {
  std::string_view name, boxes;
  std::int64_t box_count = 0;
};

// Fields are taken off the end while they are boxes: what is left is the path, with its blanks.
KerasLine split_line(std::string_view line) {
  KerasLine result{line, {}, 0};
  for (;;) {
    const std::size_t blank = result.name.find_last_of(kBlanks);
    if (blank == std::string_view::npos || !is_meant_as_box(result.name.substr(blank + 1))) break;
    result.name = trim(result.name.substr(0, blank));
    ++result.box_count;
  }
  result.boxes = line.substr(result.name.size());
  return result;
}

// What follows a picture's extension and a blank in a name: "20, 20, 70, 70, 2" of "a b.png 20, 20,
// 70, 70, 2". Empty: nothing.
std::string_view behind_picture(std::string_view name) {
  for (std::size_t blank = name.find_first_of(kBlanks); blank != std::string_view::npos;
       blank = name.find_first_of(kBlanks, blank + 1)) {
    if (has_picture_extension(name.substr(0, blank))) return trim(name.substr(blank));
  }
  return {};
}

class KerasReader {
 public:
  KerasReader(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : list_(input.path.string()),
        classes_file_(options.classes.filename().string()),
        options_(options),
        finder_(input.files, input.folder(), {input.folder()}, options, input.path),
        set_(set) {}

  void add_remarks() const {
    comments_.add_to(set_.remarks);
    finder_.notes().add_to(set_.remarks);
  }

  void read_line(std::string_view text, std::int64_t number) {
    const KerasLine line = split_line(text);
    Item item;
    item.name = line.name;
    if (comments_.passes_over(finder_, item.name)) return;
    item.where = list_ + ":" + std::to_string(number);
    if (line.box_count > options_.max_boxes)
      return refuse(item, too_many_boxes(item.where, line.box_count, options_.max_boxes), line);
    if (const auto fault = read_boxes(line, item.boxes))
      return refuse(item, {item.where, fault->what, fault->fix}, line);
    Expected<std::string> path = finder_.find(item.name, item.where);
    if (!path) {
      const std::string_view more = behind_picture(line.name);
      if (more.empty()) return reject_picture(set_, path.reject(), line.box_count);
      return refuse(item,
                    {item.where, "got " + in_quotes(more) + " behind the picture, must be boxes",
                     std::string(kFix)},
                    line);
    }
    item.path = std::move(*path);
    set_.boxes_found += line.box_count;
    add_picture(set_, std::move(item));
  }

 private:
  void refuse(const Item& item, Reject reject, const KerasLine& line) {
    reject_picture(set_, finder_.of_picture(std::move(reject), item.name), line.box_count);
  }

  // What is wrong with the first bad box, or nothing.
  std::optional<Message> read_boxes(const KerasLine& line, std::vector<LabelBox>& boxes) const {
    boxes.reserve(static_cast<std::size_t>(line.box_count));
    std::string_view rest = line.boxes;
    for (std::string_view field = take_field(rest); !field.empty(); field = take_field(rest)) {
      boxes.emplace_back();
      std::optional<Message> fault = read_box(field, boxes.back());
      if (!fault) continue;
      fault->what =
          "object " + std::to_string(boxes.size()) + " " + in_quotes(field) + ": " + fault->what;
      // A comma with nothing beside it: a blank separates it from its number.
      if (field.starts_with(',') || field.ends_with(',')) fault->fix = kFixBlank;
      return fault;
    }
    return std::nullopt;
  }

  std::optional<Message> read_box(std::string_view field, LabelBox& box) const {
    const auto commas = std::count(field.begin(), field.end(), ',');
    if (commas != 4)
      return Message{.what = "got " + counted(commas + 1, "number", "numbers") + ", must be 5",
                     .fix = std::string(kFix)};
    for (float* side : {&box.x1, &box.y1, &box.x2, &box.y2}) {
      const std::string_view text = take_until(field, ',');
      const Coordinate coordinate = parse_coordinate(text);
      if (!coordinate.fault.empty())
        return Message{.what = coordinate.fault,
                       .fix = std::string(parse_number(text) ? kFixCoordinate : kFix)};
      *side = static_cast<float>(coordinate.value);
    }
    const Expected<std::int32_t> id = parse_class(field, set_.classes, classes_file_);
    if (!id) return id.reject();
    box.class_id = *id;
    return std::nullopt;
  }

  std::string list_, classes_file_;
  const AnnotationOptions& options_;
  PictureFinder finder_;
  CommentLines comments_;
  AnnotationSet& set_;
};

bool lists_pictures_only(const Input& input, const AnnotationOptions& options) {
  PictureFinder finder(input.files, input.folder(), {input.folder()}, options);
  std::string_view text = input.head;
  if (!input.is_whole) text = text.substr(0, text.rfind('\n'));
  Lines lines(text);
  CommentLines comments;
  bool any = false;
  while (lines.next()) {
    if (comments.passes_over(finder, std::string(lines.text()))) continue;
    if (!has_picture_extension(lines.text()) ||
        !finder.find(std::string(lines.text()), input.path.string()))
      return false;
    any = true;
  }
  return any;
}

Recognition recognise_keras(const Input& input, const AnnotationOptions& options) {
  if (input.is_folder) return {false, "a folder, must be a list file"};
  if (!input.is_text) return {false, "holds NUL bytes, must be text"};
  Lines lines(input.head);
  while (lines.next()) {
    std::string_view rest = lines.text();
    take_field(rest);
    for (std::string_view field = take_field(rest); !field.empty(); field = take_field(rest)) {
      if (is_box(field))
        return {true, "line " + std::to_string(lines.number()) + " holds a box " +
                          printable(field, 60) + " (x1,y1,x2,y2,class)"};
    }
  }
  if (lists_pictures_only(input, options))
    return {false, "every line is a picture without a box; if none has one, give --format keras"};
  return {false, "no line holds a path and a box x1,y1,x2,y2,class"};
}

// Roboflow's export has the list of its classes beside _annotations.txt.
AnnotationOptions with_own_classes(const Input& input, AnnotationOptions options,
                                   AnnotationSet& set) {
  const std::filesystem::path own = input.folder() / "_classes.txt";
  if (!options.classes.empty() || input.path.filename() != "_annotations.txt" ||
      !input.files.file_fault(own.string()).empty())
    return options;
  set.remarks.push_back("class names are those of " + own.string());
  options.classes = own;
  return options;
}

void read_keras(const Input& input, const AnnotationOptions& given, AnnotationSet& set) {
  const std::string text = input.files.read_text(input.path);
  const AnnotationOptions options = with_own_classes(input, given, set);
  set.classes = required_class_names(input, options);
  set.classes_by_place = true;
  KerasReader reader(input, options, set);
  Lines lines(text);
  while (lines.next()) reader.read_line(lines.text(), lines.number());
  reader.add_remarks();
}

}  // namespace

constinit const AnnotationFormat keras{
    "keras", "keras-yolo3 lists: path x1,y1,x2,y2,class ... a line; --classes names the ids",
    recognise_keras, read_keras};

}  // namespace letterpress::annotations
