#include "trainer/commands/import_classes.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"

namespace letterpress {
namespace {

// Whether JSON takes it as it is, without a sign in place of a byte.
bool is_utf8(const std::string& text) {
  const nlohmann::json json = text;
  return nlohmann::json::parse(
             json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) == json;
}

// What `build` would refuse, too: such a list of classes is read as another one. Empty: nothing.
std::string fault_of(const std::vector<std::string>& names) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string &name = names[i], at = "class " + std::to_string(i);
    if (name.empty()) return at + " has an empty name";
    if (!is_utf8(name)) return at + " has a name that is not UTF-8";
    if (std::ranges::any_of(name, [](char c) { return (c >= 0 && c < ' ') || c == '\x7F'; }))
      return at + " has a control character in its name";
    const auto [first, is_new] = places.emplace(name, i);
    if (!is_new)
      return "classes " + std::to_string(first->second) + " and " + std::to_string(i) +
             " are both called '" + name + "'";
  }
  return {};
}

std::vector<std::string> read_names(const std::filesystem::path& file) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string text = read_file(file);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) names.push_back(line);
  }
  if (const std::string fault = fault_of(names); !fault.empty())
    throw Error({.where = file.string(), .what = fault, .fix = "write it anew, in UTF-8"});
  if (names.empty())
    throw Error({.where = file.string(),
                 .what = "names no class",
                 .fix = "write one name per line, in the order of the weights' classes"});
  return names;
}

}  // namespace

std::vector<std::string> imported_classes(const StartWeights& start,
                                          const std::filesystem::path& list) {
  if (list.empty() && start.classes.empty()) {
    throw Error({.where = "--classes",
                 .what = "is not given, and " + start.file + " does not name its classes",
                 .fix = "name a file with one per line, in the order of the weights' classes"},
                Exit::usage);
  }
  const std::string fault = list.empty() ? fault_of(start.classes) : "";
  if (!fault.empty()) {
    throw Error({.where = "--classes",
                 .what = "is not given, and in " + start.file + " " + fault,
                 .fix = "name a file with one per line, in the order of the weights' classes"},
                Exit::usage);
  }
  if (list.empty()) return start.classes;
  const std::vector<std::string> classes = read_names(list);
  if (!start.classes.empty() || !start.has_outputs ||
      start.graph.classes == static_cast<int>(classes.size()))
    return classes;
  throw Error(
      {.where = list.string(),
       .what = "names " + std::to_string(classes.size()) + " classes, the output layers of " +
               start.file + " are made for " + std::to_string(start.graph.classes),
       .fix = "name those, in their order (fit --pretrained takes over what fits other "
              "classes)"},
      Exit::configuration);
}

}  // namespace letterpress
