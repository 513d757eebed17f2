#include "folder_splits.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

// What a folder's path says: by names of splits alone, and by any word.
struct Named {
  std::string alone, anyhow;
};

class FolderSplits {
 public:
  explicit FolderSplits(const Input& given) {
    // Readers resolve links, or leave them.
    std::error_code ignored;
    bases_ = {fs::absolute(given.folder()).lexically_normal().string(),
              fs::weakly_canonical(given.folder(), ignored).string()};
    for (std::string& base : bases_) {
      if (!base.ends_with('/')) base += '/';
    }
  }

  void count(const Item& item, bool has_label_folder) {
    const Named named = named_by(item, has_label_folder);
    ++alone_[named.alone];
    ++anyhow_[named.anyhow];
  }

  // Whether folders are called after splits, at least two.
  bool are_named() const { return alone_.size() - alone_.count("") > 1; }
  bool one_is_train() const { return alone_.contains("train"); }
  std::int64_t elsewhere() const { return alone_.contains("") ? alone_.at("") : 0; }
  bool may_name_splits() const { return anyhow_.size() - anyhow_.count("") > 1; }

  Named named_by(const Item& item, bool has_label_folder) {
    const Named label = has_label_folder ? named(item.split) : Named{};
    const Named picture = named(below(item.path));
    return {both(label.alone, picture.alone), both(label.anyhow, picture.anyhow)};
  }

  // "train 12, val 4"
  std::string text(bool of_all) const {
    std::string text;
    for (const auto& [split, n] : of_all ? alone_ : anyhow_) {
      if (split.empty()) continue;
      text += (text.empty() ? "" : ", ") + split + " " + std::to_string(n);
    }
    return text;
  }

 private:
  static std::string both(const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return a + b;
    return a == b ? a : "";
  }

  // The folders of a picture, from the input's.
  std::string_view below(std::string_view path) const {
    for (const std::string& base : bases_) {
      if (!path.starts_with(base)) continue;
      const std::string_view name = path.substr(base.size());
      const std::size_t slash = name.rfind('/');
      return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
    }
    return {};
  }

  const Named& named(std::string_view folders) {
    const auto [entry, is_new] = named_.try_emplace(std::string(folders));
    if (is_new) entry->second = {split_of_folders(folders), split_in(folders)};
    return entry->second;
  }

  std::vector<std::string> bases_;
  std::unordered_map<std::string, Named> named_;
  std::map<std::string, std::int64_t> alone_, anyhow_;
};

bool is_stated(const AnnotationSet& set) {
  return !set.splits_are_folders &&
         std::ranges::any_of(set.items, [](const Item& item) { return !item.split.empty(); });
}

// Why folders that may name splits are not taken at their word; empty: nothing is to be said.
std::string why_not(const Input& labels, const AnnotationOptions& options,
                    const FolderSplits& splits) {
  if (!labels.is_folder) {
    if (!options.splits_by_folders || !split_in(labels.path.filename().string()).empty()) return {};
    return ", but one label file lists them all: they are read as one split; for more, write a "
           "label file for each";
  }
  if (!options.splits_by_folders)
    return ", but --val or --split is given: they are read as one split";
  if (splits.are_named())
    return ", but none is called train: they are read as one split; for more, name that of train "
           "by --input, that of val by --val";
  return ", but not each picture's by such a word alone (train/, val2017/): they are read as one "
         "split; for more, name that of train by --input, that of val by --val";
}

}  // namespace

void settle_folder_splits(const Input& given, const Input& labels, const AnnotationOptions& options,
                          AnnotationSet& set) {
  // Folders that were said to be classes are. Objects of other formats may be trains.
  const bool are_classes =
      set.format == "folder" && std::ranges::any_of(set.classes, is_named_by_splits_and_pictures);
  if (is_stated(set) || are_classes) return;
  FolderSplits splits(given);
  const bool has_label_folders = set.splits_are_folders;
  for (const Item& item : set.items) splits.count(item, has_label_folders);
  const bool taken =
      labels.is_folder && options.splits_by_folders && splits.are_named() && splits.one_is_train();
  for (Item& item : set.items) {
    item.split = taken ? splits.named_by(item, has_label_folders).alone : "";
    // A picture that was added beside the folders must not move those of val into train.
    if (taken && item.split.empty()) item.split = "train";
  }
  set.splits_are_folders = false;
  if (taken) {
    const std::int64_t n = splits.elsewhere();
    set.remarks.push_back(
        "splits by the names of folders: " + splits.text(true) +
        (n > 0 ? ", and " + counted(n, "picture", "pictures") + " of other folders read as train"
               : "") +
        "; to read all as train, pass --val 0");
  } else if (splits.may_name_splits()) {
    const std::string why = why_not(labels, options, splits);
    if (!why.empty())
      set.remarks.push_back("folders may name splits (" + splits.text(false) + ")" + why);
  }
}

}  // namespace letterpress::annotations
