#include "yolo_dataset.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "formats/annotations/files/input.h"
#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/class_names.h"
#include "letterpress/base/error.h"
#include "split_folders.h"
#include "stated_paths.h"
#include "yaml_size.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

// The keys that are read, but for those of splits.
bool is_read(std::string_view key) {
  constexpr std::array<std::string_view, 4> kKeys{"names", "nc", "path", "kpt_shape"};
  return std::ranges::find(kKeys, key) != kKeys.end();
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const std::string inner = without_slash(path.string()), outer = without_slash(folder.string());
  return inner == outer || outer == "/" || inner.starts_with(outer + "/");
}

class DataYaml {
 public:
  DataYaml(const FileTree& files, const fs::path& path, const AnnotationOptions& options)
      : files_(files), path_(path), options_(options) {
    const std::string text = without_bom(files.read_text(path));
    check_yaml_size(text, path.string());
    root_ = YAML::Load(text);
    if (!root_.IsMap())
      fail(root_, "is not a map of names, train, val", "write them as `name: value` lines");
    refuse_repeated();
  }

  YoloDataset read() const {
    std::vector<std::string> remarks;
    YoloDataset dataset{.folder = dataset_folder(remarks),
                        .classes = names(),
                        .classes_from = path_.filename().string(),
                        .sources = {},
                        .keypoint_numbers = keypoint_numbers(),
                        .remarks = std::move(remarks)};
    add_stated(dataset);
    if (dataset.sources.empty()) add_own_pictures(dataset);
    if (dataset.sources.empty())
      fail(root_, "has none of train, val, test", "name the folders or lists of pictures");
    note_unread(dataset);
    return dataset;
  }

 private:
  static std::string without_bom(const std::string& text) {
    return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
  }

  [[noreturn]] void fail(const YAML::Node& node, const std::string& what,
                         const std::string& fix) const {
    const int line = node.IsDefined() ? node.Mark().line : -1;
    throw Error({.where = path_.string() + (line >= 0 ? ":" + std::to_string(line + 1) : ""),
                 .what = what,
                 .fix = fix});
  }

  // A map has each key once; readers differ in which of two they take.
  void refuse_repeated() const {
    std::map<std::string, int> lines;
    for (const auto& entry : root_) {
      if (!entry.first.IsScalar() || !is_read(entry.first.Scalar())) continue;
      const auto [first, is_first] =
          lines.emplace(entry.first.Scalar(), entry.first.Mark().line + 1);
      if (is_first) continue;
      fail(entry.first,
           first->first + " stands in line " + std::to_string(first->second) + " already",
           "remove one of the two");
    }
  }

  std::string scalar(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar() || node.Scalar().empty())
      fail(node, key + " is not a text", "write one path or name");
    if (node.Scalar().find('\0') != std::string::npos)
      fail(node, key + " holds a NUL byte", "write one path or name");
    return node.Scalar();
  }

  // A path that is nowhere here is another machine's.
  fs::path dataset_folder(std::vector<std::string>& remarks) const {
    fs::path own = folder_of(path_);
    const YAML::Node node = root_["path"];
    if (!node || node.IsNull()) return own;
    const fs::path stated = scalar(node, "path");
    for (const fs::path& folder : below_roots(own, stated, options_.roots)) {
      if (files_.is_folder(folder)) return folder;
    }
    remarks.push_back("path " + in_quotes(stated.string()) + " is not here: the folder of " +
                      path_.filename().string() + " is taken for it");
    return own;
  }

  std::vector<std::string> names() const {
    const YAML::Node node = root_["names"];
    std::vector<std::string> names;
    if (!node) fail(root_, "has no names of the classes", "write `names: [first, second]`");
    if (!options_.classes.empty()) fail(node, "has names of its own", "leave --classes out");
    if (node.IsMap()) {
      names = names_by_id(node);
    } else if (node.IsSequence()) {
      for (const YAML::Node& name : node) names.push_back(scalar(name, "a class name"));
    }
    if (names.empty())
      fail(node, "names is neither a list nor a map of class names",
           "write `names: [first, second]`");
    check_class_names(names, path_.string());
    check_count(names.size());
    return names;
  }

  std::vector<std::string> names_by_id(const YAML::Node& node) const {
    std::vector<std::string> names(node.size());
    for (const auto& entry : node) {
      const auto id = parse_integer(scalar(entry.first, "a class id"));
      const bool fits = id && *id >= 0 && *id < static_cast<std::int64_t>(names.size());
      if (!fits || !names[static_cast<std::size_t>(*id)].empty()) {
        fail(entry.first,
             "class id " + in_quotes(entry.first.Scalar()) + " does not fit 0.." +
                 std::to_string(names.size() - 1) + ", each once",
             "number the " + std::to_string(names.size()) + " names from 0 without gaps");
      }
      names[static_cast<std::size_t>(*id)] = scalar(entry.second, "a class name");
    }
    return names;
  }

  void check_count(std::size_t n) const {
    const YAML::Node node = root_["nc"];
    if (!node || node.IsNull()) return;
    if (node.IsScalar() && parse_integer(node.Scalar()) == static_cast<std::int64_t>(n)) return;
    fail(node,
         "nc is " + in_quotes(node.IsScalar() ? node.Scalar() : "") + ", names holds " +
             std::to_string(n),
         "make them agree");
  }

  // "train", "val", "test", or as else people call them, each once.
  void add_stated(YoloDataset& dataset) const {
    std::vector<std::string> keys;
    for (const auto& entry : root_) {
      const bool states = entry.first.IsScalar() && !entry.second.IsNull();
      if (states) keys.push_back(entry.first.Scalar());
    }
    std::map<std::string, std::string> taken;
    for (const auto& [key, split] : called_after_splits(keys)) {
      const auto [first, is_first] = taken.emplace(split, key);
      if (is_first) {
        add_sources(key, split, dataset);
      } else {
        dataset.remarks.push_back(path_.filename().string() + ": " + in_quotes(key) +
                                  " is not read, since " + in_quotes(first->second) +
                                  " states the same split");
      }
    }
  }

  void add_sources(const std::string& key, const std::string& split, YoloDataset& dataset) const {
    const YAML::Node node = root_[key];
    if (!node.IsSequence()) return add_source(node, split, dataset);
    for (const YAML::Node& entry : node) add_source(entry, split, dataset);
  }

  // Some tools write the names alone: the pictures are then in images/ beside this file, by splits
  // where there are folders called so, or in those folders beside it.
  void add_own_pictures(YoloDataset& dataset) const {
    const fs::path images = dataset.folder / "images";
    const bool below = files_.is_folder(images);
    const fs::path above = below ? images : dataset.folder;
    for (const auto& [name, split] : split_folders(files_, above, dataset.remarks))
      dataset.sources.push_back({above / name, split});
    if (dataset.sources.empty() && below) dataset.sources.push_back({images, ""});
    if (dataset.sources.empty()) return;
    std::string taken;
    for (const YoloSource& source : dataset.sources)
      taken +=
          (taken.empty() ? "" : ", ") + source.path.lexically_relative(dataset.folder).string();
    dataset.remarks.push_back(path_.filename().string() +
                              " names none of train, val, test: the pictures of " + taken +
                              " beside it are taken");
  }

  // keypoints of two or three numbers each
  std::size_t keypoint_numbers() const {
    const YAML::Node node = root_["kpt_shape"];
    if (!node || !node.IsSequence() || node.size() != 2) return 0;
    const auto points = parse_integer(scalar(node[0], "kpt_shape"));
    const auto numbers = parse_integer(scalar(node[1], "kpt_shape"));
    const bool fits =
        points && numbers && *points > 0 && *points < 1000 && *numbers > 0 && *numbers < 10;
    return fits ? static_cast<std::size_t>(*points * *numbers) : 0;
  }

  std::vector<fs::path> places_of(const std::string& stated, const fs::path& folder) const {
    std::vector<fs::path> paths = below_roots(folder, stated, options_.roots);
    // Roboflow's exports write ../train/images in a data.yaml that is beside train.
    if (stated.starts_with("../")) paths.push_back(folder / stated.substr(3));
    return paths;
  }

  std::vector<fs::path> starts_from(const fs::path& folder) const {
    std::vector<fs::path> starts{folder};
    starts.insert(starts.end(), options_.roots.begin(), options_.roots.end());
    return starts;
  }

  void add_source(const YAML::Node& node, const std::string& split, YoloDataset& dataset) const {
    const std::string stated = scalar(node, split);
    std::string tried;
    for (const fs::path& path : places_of(stated, dataset.folder)) {
      if (files_.exists(path)) return dataset.sources.push_back({path.lexically_normal(), split});
      tried += (tried.empty() ? "" : ", ") + path.lexically_normal().string();
    }
    const fs::path found = by_longest_end(files_, stated, split, starts_from(dataset.folder));
    const bool is_taken =
        std::ranges::find(dataset.sources, found, &YoloSource::path) != dataset.sources.end();
    if (!found.empty() && !is_taken) {
      dataset.remarks.push_back(split + " " + in_quotes(stated) + " is not here: " +
                                found.string() + " is taken, by the longest end of the path");
      return dataset.sources.push_back({found, split});
    }
    if (split == "test") {
      dataset.remarks.push_back("test " + in_quotes(stated) + " does not exist and is left out");
      return;
    }
    fail(node, split + " " + in_quotes(stated) + " does not exist, tried " + tried,
         "correct it or `path`, or give --root");
  }

  // People have other words for splits: `dev: images/dev`.
  void note_unread(YoloDataset& dataset) const {
    for (const auto& entry : root_) {
      const YAML::Node &key = entry.first, &value = entry.second;
      if (!key.IsScalar() || is_read(key.Scalar()) || !split_of_name(key.Scalar()).empty())
        continue;
      bool leads = value.IsScalar() && leads_to_others(value.Scalar(), dataset);
      if (value.IsSequence()) {
        for (const YAML::Node& one : value)
          leads = leads || (one.IsScalar() && leads_to_others(one.Scalar(), dataset));
      }
      if (leads)
        dataset.remarks.push_back(path_.filename().string() + ": " + in_quotes(key.Scalar()) +
                                  " names pictures that are not read; state it as val or test");
    }
  }

  // Whether a value leads to pictures, and neither to those that are read nor to a folder of them.
  bool leads_to_others(const std::string& stated, const YoloDataset& dataset) const {
    if (stated.empty() || stated.find('\0') != std::string::npos) return false;
    const std::vector<fs::path> places = places_of(stated, dataset.folder);
    const auto place =
        std::ranges::find_if(places, [&](const fs::path& p) { return files_.exists(p); });
    const fs::path path = place != places.end()
                              ? place->lexically_normal()
                              : by_longest_end(files_, stated, "", starts_from(dataset.folder));
    return !path.empty() && leads_to_pictures(files_, path) &&
           std::ranges::none_of(dataset.sources, [&](const YoloSource& source) {
             return lies_in(source.path, path) || lies_in(path, source.path);
           });
  }

  FileTree files_;
  fs::path path_;
  const AnnotationOptions& options_;
  YAML::Node root_;
};

}  // namespace

YoloDataset read_data_yaml(const FileTree& files, const fs::path& path,
                           const AnnotationOptions& options) {
  try {
    return DataYaml(files, path, options).read();
  } catch (const YAML::Exception& error) {
    const std::string line = error.mark.is_null() ? "" : ":" + std::to_string(error.mark.line + 1);
    throw Error({.where = path.string() + line,
                 .what = "is not YAML: " + printable(error.msg),
                 .fix = "correct this line"});
  }
}

}  // namespace letterpress::annotations
