#include "yolo_class_lists.h"

#include <vector>

#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/class_names.h"
#include "letterpress/base/error.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> lists_near(const Input& input) {
  std::vector<std::string> lists{"labels/classes.txt", "classes.txt", "obj.names"};
  for (const char* base : {"", "labels/"}) {
    for (const std::string& name : input.files.names_in(input.path / base)) {
      if (split_in(name).empty()) continue;
      for (const char* end : {"/classes.txt", "/labels/classes.txt"})
        lists.push_back(base + name + end);
    }
  }
  std::erase_if(lists, [&](const std::string& list) {
    return !input.files.file_fault((input.path / list).string()).empty();
  });
  return lists;
}

// "cat, dog, ... (80)"
std::string shown(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
    text += (i == 0 ? "" : ", ") + printable(names[i], 40);
  return text + (names.size() > kShown ? ", ... (" + std::to_string(names.size()) + ")" : "");
}

}  // namespace

bool has_class_list_near(const Input& input) { return !lists_near(input).empty(); }

std::string class_list_near(const Input& input) {
  if (!input.is_folder) return {};
  const std::vector<std::string> lists = lists_near(input);
  if (lists.empty()) return {};
  const std::vector<std::string> first = read_class_names(input.files, input.path / lists.front());
  for (const std::string& list : lists) {
    const std::vector<std::string> names = read_class_names(input.files, input.path / list);
    if (names == first) continue;
    throw Error(
        {.where = (input.path / list).string(),
         .what = "names " + shown(names) + ", but " + (input.path / lists.front()).string() +
                 " names " + shown(first),
         .fix = "say by --classes which of them the labels go by, or name folders that have "
                "lists of their own by an --input, --val or --split each"},
        Exit::usage);
  }
  return lists.front();
}

}  // namespace letterpress::annotations
