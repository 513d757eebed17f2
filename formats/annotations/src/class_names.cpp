#include "class_names.h"

#include <unordered_map>

#include "format.h"
#include "letterpress/base/error.h"
#include "tree.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;

LabelFault class_name_fault(std::string_view name) {
  if (!is_utf8(name)) return {"is not UTF-8", "convert the file to UTF-8"};
  if (has_control_character(name))
    return {"holds a control character", "write its name in printable characters"};
  return {};
}

void check_class_names(const std::vector<std::string>& names, const std::string& source) {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty())
      throw Error(source + ": class " + std::to_string(i) + " has an empty name; name it");
    const LabelFault fault = class_name_fault(names[i]);
    if (!fault.what.empty())
      throw Error(source + ": class " + in_quotes(names[i]) + " " + fault.what + "; " + fault.fix);
    const auto [first, fresh] = seen.emplace(names[i], i);
    if (fresh) continue;
    throw Error(source + ": classes " + std::to_string(first->second) + " and " +
                std::to_string(i) + " are both called " + in_quotes(names[i]) + "; rename one");
  }
}

std::vector<std::string> read_class_names(const fs::path& path) {
  const std::string text = read_text(path);
  std::vector<std::string> names;
  Lines lines(text);
  for (std::int64_t wanted = 1; lines.next(); ++wanted) {
    if (lines.number() != wanted) {
      throw Error(path.string() + ":" + std::to_string(wanted) +
                  ": is empty, so the ids of the names below it are unclear; write one name per "
                  "line, without gaps");
    }
    names.emplace_back(lines.text());
  }
  if (names.empty()) throw Error(path.string() + ": holds no class name; write one name per line");
  check_class_names(names, path.string());
  return names;
}

std::vector<std::string> required_class_names(const fs::path& input,
                                              const AnnotationOptions& options) {
  if (!options.classes.empty()) return read_class_names(options.classes);
  const fs::path near = folder_of(input) / "classes.txt";
  const std::string proposal = file_fault(near.string()).empty() ? near.lexically_normal().string()
                                                                 : "FILE (one class name per line)";
  throw Error(input.string() + ": holds class ids without names; give --classes " + proposal,
              Exit::usage);
}

ClassId parse_class(std::string_view text, const std::vector<std::string>& names,
                    const std::string& source) {
  const auto id = parse_integer(text);
  const auto n = static_cast<std::int64_t>(names.size());
  if (id && *id >= 0 && *id < n) return {static_cast<std::int32_t>(*id)};
  const std::string range = "0.." + std::to_string(n - 1);
  if (!id)
    return {-1,
            {"class " + in_quotes(text) + " is no integer",
             "write its number among the classes of " + source + ", " + range}};
  return {-1,
          {"class " + std::to_string(*id) + " is out of range: " + source + " names " +
               counted(n, "class", "classes") + ", " + range,
           *id < 0 ? "correct the id" : "correct the id or add the class to " + source}};
}

}  // namespace letterpress::annotations
