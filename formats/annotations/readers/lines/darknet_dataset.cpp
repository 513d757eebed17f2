#include "darknet_dataset.h"

#include <array>
#include <map>

#include "formats/annotations/files/input.h"
#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/pictures/picture_finder.h"
#include "formats/annotations/shared/class_names.h"
#include "formats/annotations/shared/json_file.h"
#include "letterpress/base/error.h"
#include "split_folders.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

constexpr const char* kLabels = "_darknet.labels";
constexpr const char* kNotes = "notes.json";

// The file in the folder that the longest end of `stated` leads to; empty: none.
fs::path by_its_end(const FileTree& files, const fs::path& folder, std::string_view stated) {
  for (; !stated.empty(); take_until(stated, '/')) {
    if (stays_below(stated) && files.exists(folder / stated)) return folder / stated;
  }
  return {};
}

std::map<std::string, std::string> entries_of(const std::string& text) {
  std::map<std::string, std::string> entries;
  for (Lines lines(text); lines.next();) {
    std::string_view value = lines.text();
    const std::string key(trim(take_until(value, '=')));
    entries.emplace(key, trim(value));
  }
  return entries;
}

// classes = 3: of the names that it leads to.
void check_count(const std::map<std::string, std::string>& entries, const fs::path& path,
                 const YoloDataset& dataset) {
  const auto stated = entries.find("classes");
  if (stated == entries.end()) return;
  const auto n = static_cast<std::int64_t>(dataset.classes.size());
  const std::string_view value = stated->second;
  const auto written = parse_integer(trim(value.substr(0, value.find_first_of("#;"))));
  if (!written || *written == n) return;
  throw Error({.where = path.string(),
               .what = "classes is " + in_quotes(stated->second) + ", " + dataset.classes_from +
                       " holds " + std::to_string(n),
               .fix = "make them agree"});
}

std::vector<std::string> names_in_notes(const FileTree& files, const fs::path& path) {
  const JsonFile file(files, path);
  std::vector<std::string> names;
  for (const json::element category : list_at(file.root(), "categories")) {
    if (number_at(category, "id") != static_cast<double>(names.size()))
      throw Error({.where = path.string(),
                   .what = "its categories are not numbered from 0",
                   .fix = "give --classes FILE (one class name per line)"});
    names.push_back(text_at(category, "name"));
  }
  check_class_names(names, path.string());
  return names;
}

}  // namespace

bool is_darknet_data(const fs::path& path) { return path.extension() == ".data"; }

YoloDataset read_darknet_data(const FileTree& files, const fs::path& path,
                              const AnnotationOptions& options) {
  const std::map<std::string, std::string> entries = entries_of(read_list_file(files, path));
  const fs::path folder = folder_of(path);
  YoloDataset dataset{.folder = folder,
                      .classes = {},
                      .classes_from = options.classes.filename().string(),
                      .sources = {}};
  const auto place_of = [&](const std::string& key) {
    const auto entry = entries.find(key);
    if (entry == entries.end()) return fs::path();
    fs::path place = by_its_end(files, folder, entry->second);
    if (!place.empty()) return place;
    throw Error({.where = path.string(),
                 .what = key + " " + in_quotes(entry->second) + " does not exist from " +
                         printable(folder.string(), 1000),
                 .fix = "correct it"});
  };
  std::vector<std::string> keys;
  for (const auto& [key, value] : entries) keys.push_back(key);
  for (const auto& [key, split] : called_after_splits(keys))
    dataset.sources.push_back({place_of(key), split});
  if (dataset.sources.empty())
    throw Error({.where = path.string(),
                 .what = "has none of train, valid, test",
                 .fix = "name the lists of pictures"});
  const fs::path names = options.classes.empty() ? place_of("names") : options.classes;
  if (names.empty())
    throw Error({.where = path.string(),
                 .what = "has no names of the classes",
                 .fix = "write names = obj.names, or give --classes FILE"});
  dataset.classes = read_class_names(files, names);
  dataset.classes_from = names.filename().string();
  if (options.classes.empty()) check_count(entries, path, dataset);
  return dataset;
}

std::string class_list_in(const FileTree& files, const fs::path& folder) {
  for (const char* list : {kObjData, kNotes, kLabels}) {
    if (files.exists(folder / list)) return list;
  }
  const std::string in_train = std::string("train/") + kLabels;
  return files.exists(folder / in_train) ? in_train : "";
}

YoloDataset dataset_by_class_list(const FileTree& files, const fs::path& folder,
                                  const AnnotationOptions& options) {
  const std::string list = class_list_in(files, folder);
  if (list == kObjData) return read_darknet_data(files, folder / list, options);
  YoloDataset dataset{.folder = folder, .classes = {}, .classes_from = list, .sources = {}};
  if (!options.classes.empty()) {
    dataset.classes = read_class_names(files, options.classes);
    dataset.classes_from = options.classes.filename().string();
  } else {
    dataset.classes = list == kNotes ? names_in_notes(files, folder / list)
                                     : read_class_names(files, folder / list);
  }
  if (list.starts_with("train/")) {
    for (const auto& [name, split] : split_folders(files, folder, dataset.remarks))
      dataset.sources.push_back({folder / name, split});
  } else {
    const bool below = files.is_folder(folder / "images");
    dataset.sources.push_back({below ? folder / "images" : folder, ""});
  }
  return dataset;
}

}  // namespace letterpress::annotations
