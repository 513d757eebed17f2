#include "yolo_dataset.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <utility>

#include "formats/annotations/files/input.h"
#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/class_names.h"
#include "letterpress/base/error.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

class DataYaml {
 public:
  DataYaml(const FileTree& files, const fs::path& path, const AnnotationOptions& options)
      : files_(files), path_(path), options_(options) {
    root_ = YAML::Load(without_bom(files.read_text(path)));
    if (!root_.IsMap())
      fail(root_, "is not a map of names, train, val", "write them as `name: value` lines");
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

  std::string scalar(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar() || node.Scalar().empty())
      fail(node, key + " is not a text", "write one path or name");
    if (node.Scalar().find('\0') != std::string::npos)
      fail(node, key + " holds a NUL byte", "write one path or name");
    return node.Scalar();
  }

  // Where a path leads from the first folder, then from each root.
  std::vector<fs::path> below_roots(const fs::path& first, const fs::path& stated) const {
    std::vector<fs::path> paths{first / stated};
    for (const fs::path& root : options_.roots) {
      if (!stated.is_absolute()) paths.push_back(root / stated);
    }
    return paths;
  }

  // A path that is nowhere here is another machine's.
  fs::path dataset_folder(std::vector<std::string>& remarks) const {
    fs::path own = folder_of(path_);
    const YAML::Node node = root_["path"];
    if (!node || node.IsNull()) return own;
    const fs::path stated = scalar(node, "path");
    for (const fs::path& folder : below_roots(own, stated)) {
      if (files_.is_folder(folder)) return folder;
    }
    remarks.push_back("path " + in_quotes(stated.string()) + " is not here: the folder of " +
                      path_.filename().string() + " is taken for it");
    return own;
  }

  // What the longest end of a path of another machine leads to below the dataset or a root. One
  // name alone counts only where it is that of the split.
  fs::path by_longest_end(std::string stated, const std::string& split,
                          const fs::path& folder) const {
    std::ranges::replace(stated, '\\', '/');
    std::vector<fs::path> starts{folder};
    starts.insert(starts.end(), options_.roots.begin(), options_.roots.end());
    for (std::string_view end = stated; !end.empty(); take_until(end, '/')) {
      if (end.starts_with('/') || end.starts_with('.')) continue;
      if (end.find('/') == std::string_view::npos && split_in(end) != split) continue;
      for (const fs::path& start : starts) {
        if (files_.exists(start / end)) return (start / end).lexically_normal();
      }
    }
    return {};
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
    for (const auto& [name, split] : called_after_splits(files_.names_in(above))) {
      if (files_.is_folder(above / name)) dataset.sources.push_back({above / name, split});
    }
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

  void add_source(const YAML::Node& node, const std::string& split, YoloDataset& dataset) const {
    const std::string stated = scalar(node, split);
    std::vector<fs::path> paths = below_roots(dataset.folder, stated);
    // Roboflow's exports write ../train/images in a data.yaml that is beside train.
    if (stated.starts_with("../")) paths.push_back(dataset.folder / stated.substr(3));
    std::string tried;
    for (const fs::path& path : paths) {
      if (files_.exists(path)) return dataset.sources.push_back({path.lexically_normal(), split});
      tried += (tried.empty() ? "" : ", ") + path.lexically_normal().string();
    }
    const fs::path found = by_longest_end(stated, split, dataset.folder);
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
