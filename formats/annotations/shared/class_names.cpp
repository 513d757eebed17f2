#include "class_names.h"

#include <deque>
#include <unordered_map>
#include <utility>

#include "formats/annotations/files/input.h"
#include "formats/annotations/files/text.h"
#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "other_lists.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

using ClassIds = std::unordered_map<std::string, std::int32_t>;

bool name_boxes_of(Item& item, const std::vector<std::string>& names, const ClassIds& ids,
                   AnnotationSet& set) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto id = ids.find(names[i]);
    if (id == ids.end()) {
      const std::string unknown = unknown_name("class", printable(names[i]), set.classes);
      set.rejects.push_back(
          of_picture({item.where, unknown, "add it to --classes or correct the label"}, item));
      set.boxes_rejected += static_cast<std::int64_t>(names.size());
      return false;
    }
    item.boxes[i].class_id = id->second;
  }
  return true;
}

}  // namespace

std::optional<Message> class_name_fault(std::string_view name) {
  if (!is_utf8(name)) return Message{.what = "is not UTF-8", .fix = "convert the file to UTF-8"};
  if (has_control_character(name))
    return Message{.what = "holds a control character",
                   .fix = "write its name in printable characters"};
  return std::nullopt;
}

void check_class_names(const std::vector<std::string>& names, const std::string& source) {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty())
      throw Error({.where = source,
                   .what = "class " + std::to_string(i) + " has an empty name",
                   .fix = "name it"});
    if (const auto fault = class_name_fault(names[i]))
      throw Error({.where = source,
                   .what = "class " + in_quotes(names[i]) + " " + fault->what,
                   .fix = fault->fix});
    const auto [first, fresh] = seen.emplace(names[i], i);
    if (fresh) continue;
    throw Error({.where = source,
                 .what = "classes " + std::to_string(first->second) + " and " + std::to_string(i) +
                         " are both called " + in_quotes(names[i]),
                 .fix = "rename one"});
  }
}

std::vector<std::string> read_class_names(const FileTree& files, const fs::path& path) {
  const std::string text = read_list_file(files, path);
  refuse_other_lists(text, path);
  std::vector<std::string> names;
  Lines lines(text);
  for (std::int64_t wanted = 1; lines.next(); ++wanted) {
    if (lines.number() != wanted) {
      throw Error({.where = path.string() + ":" + std::to_string(wanted),
                   .what = "is empty, so the ids of the names below it are unclear",
                   .fix = "write one name per line, without gaps"});
    }
    names.emplace_back(lines.text());
  }
  if (names.empty())
    throw Error(
        {.where = path.string(), .what = "holds no class name", .fix = "write one name per line"});
  check_class_names(names, path.string());
  return names;
}

std::vector<std::string> read_class_list(const fs::path& file) {
  return read_class_names(FileTree(), file);
}

std::vector<std::string> required_class_names(const Input& input,
                                              const AnnotationOptions& options) {
  if (!options.classes.empty()) return read_class_names(input.files, options.classes);
  const fs::path near = folder_of(input.path) / "classes.txt";
  const std::string proposal = input.files.file_fault(near.string()).empty()
                                   ? near.lexically_normal().string()
                                   : "FILE (one class name per line)";
  throw Error({.where = input.path.string(),
               .what = "holds class ids without names",
               .fix = "give --classes " + proposal},
              Exit::usage);
}

Expected<std::int32_t> parse_class(std::string_view text, const std::vector<std::string>& names,
                                   const std::string& source) {
  const auto id = parse_integer(text);
  const auto n = static_cast<std::int64_t>(names.size());
  if (id && *id >= 0 && *id < n) return static_cast<std::int32_t>(*id);
  const std::string range = "0.." + std::to_string(n - 1);
  if (!id)
    return Reject{{.what = "class " + in_quotes(text) + " is not an integer",
                   .fix = "write its number among the classes of " + source + ", " + range}};
  return Reject{
      {.what = "class " + std::to_string(*id) + " is out of range: " + source + " names " +
               counted(n, "class", "classes") + ", " + range,
       .fix = *id < 0 ? "correct the id" : "correct the id or add the class to " + source}};
}

void name_boxes(AnnotationSet& set, const std::vector<std::vector<std::string>>& names) {
  ClassIds ids;
  for (std::size_t i = 0; i < set.classes.size(); ++i)
    ids.emplace(set.classes[i], static_cast<std::int32_t>(i));
  std::deque<Item> kept;
  for (std::size_t i = 0; i < set.items.size(); ++i) {
    if (name_boxes_of(set.items[i], names[i], ids, set)) kept.push_back(std::move(set.items[i]));
  }
  set.items = std::move(kept);
}

}  // namespace letterpress::annotations
