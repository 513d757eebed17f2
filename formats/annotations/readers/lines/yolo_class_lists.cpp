#include "yolo_class_lists.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/class_names.h"
#include "letterpress/base/error.h"
#include "letterpress/base/picture_extension.h"
#include "yolo_label_paths.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> lists_near(const Input& input) {
  std::vector<std::string> lists{"labels/classes.txt", "classes.txt", "obj.names"};
  for (const char* base : {"", "labels/"}) {
    for (const std::string& name : input.files.names_in(input.path / base)) {
      if (split_in(name).empty() || name.ends_with(".txt") || has_picture_extension(name)) continue;
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

// A name as it is whatever its case is, and how its words are joined.
std::string plain(const std::string& name) {
  std::string text = in_small_letters(name);
  std::erase_if(text, [](char c) { return c == ' ' || c == '_' || c == '-'; });
  return text;
}

// Whether an id means a class by one list that has another id by the other.
bool is_of_another_order(const std::vector<std::string>& names,
                         const std::vector<std::string>& others) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < others.size(); ++i) places.emplace(plain(others[i]), i);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto place = places.find(plain(names[i]));
    if (place != places.end() && place->second != i) return true;
  }
  return false;
}

// A remark where a list has other names than the set's own; empty: it has the same. Throws Error
// where it is among the labels and has them in another order.
std::string difference(const fs::path& list, const std::vector<std::string>& names,
                       const YoloDataset& dataset, bool is_among_labels) {
  if (names == dataset.classes) return {};
  const std::string& from = dataset.classes_from;
  const std::string what =
      "names " + shown(names) + ", but " + from + " names " + shown(dataset.classes);
  if (is_among_labels && is_of_another_order(names, dataset.classes)) {
    throw Error({.where = list.string(),
                 .what = what,
                 .fix = "the ids of the labels are those of one of them: if of " + from +
                        ", remove this list, else write its names to " + from + " in this order"},
                Exit::usage);
  }
  const auto n = static_cast<std::ptrdiff_t>(std::min(names.size(), dataset.classes.size()));
  if (!std::equal(names.begin(), names.begin() + n, dataset.classes.begin()))
    return printable(list.string(), 1000) + " " + what + ": those of " + from + " are taken";
  return printable(list.string(), 1000) + " has " + std::to_string(names.size()) + " names, " +
         from + " " + std::to_string(dataset.classes.size()) + ": those of " + from +
         " are taken, the first " + std::to_string(n) + " are the same";
}

// The lists beside the label files that pictures of a source have, or above them in labels/train.
std::vector<fs::path> lists_of(const YoloSource& source) {
  std::vector<fs::path> lists;
  for (const std::string& label : yolo_label_paths((source.path / "1.jpg").string())) {
    const fs::path folder = folder_of(label);
    lists.push_back(folder / "classes.txt");
    if (folder.parent_path().filename() == "labels")
      lists.push_back(folder.parent_path() / "classes.txt");
  }
  return lists;
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

void check_class_lists_near(const FileTree& files, YoloDataset& dataset) {
  std::map<fs::path, bool> lists;  // and whether it is among the labels
  const Input folder{.files = files, .path = dataset.folder, .is_folder = true};
  for (const std::string& list : lists_near(folder))
    lists[(dataset.folder / list).lexically_normal()] = false;
  for (const YoloSource& source : dataset.sources) {
    if (!files.is_folder(source.path)) continue;
    for (const fs::path& list : lists_of(source)) {
      if (files.file_fault(list.string()).empty()) lists[list.lexically_normal()] = true;
    }
  }
  for (const auto& [list, is_among_labels] : lists) {
    std::vector<std::string> names;
    try {
      names = read_class_names(files, list);
    } catch (const Error& error) {
      if (error.exit() == Exit::io) throw;
      dataset.remarks.push_back("names are those of " + dataset.classes_from +
                                ", not compared with " + error.what());
      continue;
    }
    std::string remark = difference(list, names, dataset, is_among_labels);
    if (!remark.empty()) dataset.remarks.push_back(std::move(remark));
  }
}

}  // namespace letterpress::annotations
