#include "folder_splits.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/stated_splits.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

// What a folder's path says: by names of splits alone, and by any word, one that may be of a split
// too.
struct Named {
  std::string alone, anyhow;
};

Named named_by(std::string_view folders) {
  const std::string split = split_in(folders);
  return {split_of_folders(folders), split.empty() ? doubtful_split_in(folders) : split};
}

// The folders that both begin with: "a/b" of "a/b/c" and "a/b/d".
std::string_view common_folders(std::string_view a, std::string_view b) {
  std::size_t end = 0;
  for (std::size_t i = 0; i <= a.size() && i <= b.size(); ++i) {
    const char in_a = i < a.size() ? a[i] : '/', in_b = i < b.size() ? b[i] : '/';
    if (in_a != in_b) break;
    if (in_a == '/') end = i;
  }
  return a.substr(0, end);
}

// What the folders of pictures, and of their label files, say about splits. What all are in says
// nothing: "train_data" of train_data/train and train_data/val.
class FolderSplits {
 public:
  FolderSplits(const Input& given, const AnnotationSet& set) {
    // Readers resolve links, or leave them.
    std::error_code ignored;
    bases_ = {fs::absolute(given.folder()).lexically_normal().string(),
              fs::weakly_canonical(given.folder(), ignored).string()};
    for (std::string& base : bases_) {
      if (!base.ends_with('/')) base += '/';
    }
    std::vector<std::string_view> pictures;
    pictures.reserve(set.items.size());
    for (const Item& item : set.items) pictures.push_back(below(item.path));
    const std::vector<std::string_view> labels = label_folders(set);
    const std::size_t label = common_size(labels), picture = common_size(pictures);
    of_items_.reserve(pictures.size());
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      count(labels.empty() ? Named{} : named(labels[i].substr(label)),
            named(pictures[i].substr(picture)));
    }
  }

  // Whether folders are called after splits, at least two.
  bool are_named() const { return alone_.size() - alone_.count("") > 1; }
  bool one_is_train() const { return alone_.contains("train"); }
  std::int64_t elsewhere() const { return alone_.contains("") ? alone_.at("") : 0; }
  bool may_name_splits() const { return anyhow_.size() - anyhow_.count("") > 1; }
  // Whether there are folders of one split other than train, and others that are of none.
  bool one_may_be_held_out() const {
    return alone_.size() == 2 && alone_.contains("") && !alone_.contains("train");
  }

  bool may_hold_out() const {
    return std::ranges::any_of(anyhow_, [](const auto& named) {
      return !named.first.empty() && is_kept(KeptSplits::held_out, named.first);
    });
  }

  // elsewhere: of pictures beside these folders; one that was added there must not move those of
  // val into train.
  void give_to(std::deque<Item>& items, const std::string& elsewhere) {
    for (std::size_t i = 0; i < items.size(); ++i)
      items[i].split = of_items_[i].empty() ? elsewhere : std::move(of_items_[i]);
  }

  // "train 12, val 4"
  std::string text(bool of_all) const {
    std::map<std::string, std::int64_t> splits = of_all ? alone_ : anyhow_;
    splits.erase("");
    return counts_text(splits);
  }

 private:
  static std::string both(const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return a + b;
    return a == b ? a : "";
  }

  static std::size_t common_size(const std::vector<std::string_view>& folders) {
    if (folders.empty()) return 0;
    std::string_view common = folders.front();
    for (const std::string_view folder : folders) common = common_folders(common, folder);
    return common.size();
  }

  // Of each item, where each has a label file of its own; else none.
  static std::vector<std::string_view> label_folders(const AnnotationSet& set) {
    std::vector<std::string_view> folders;
    for (const Item& item : set.items) {
      if (item.label_folder < 0) return {};
      folders.push_back(set.label_folders[static_cast<std::size_t>(item.label_folder)]);
    }
    return folders;
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

  Named named(std::string_view folders) {
    const auto [entry, is_new] = named_.try_emplace(std::string(folders));
    if (is_new) entry->second = named_by(folders);
    return entry->second;
  }

  void count(const Named& label, const Named& picture) {
    of_items_.push_back(both(label.alone, picture.alone));
    ++alone_[of_items_.back()];
    ++anyhow_[both(label.anyhow, picture.anyhow)];
  }

  std::vector<std::string> bases_;
  std::unordered_map<std::string, Named> named_;
  std::vector<std::string> of_items_;
  std::map<std::string, std::int64_t> alone_, anyhow_;
};

bool is_stated(const AnnotationSet& set) {
  return std::ranges::any_of(set.items, [](const Item& item) { return !item.split.empty(); });
}

// Why folders that may name splits are not taken at their word; empty: nothing is to be said.
std::string why_not(const Input& labels, const AnnotationOptions& options,
                    const FolderSplits& splits) {
  // A share makes train and val anew, whatever folders say of them.
  const bool has_flags = !options.splits_by_folders ||
                         (options.kept_splits == KeptSplits::held_out && !splits.may_hold_out());
  if (!labels.is_folder && !split_in(labels.path.filename().string()).empty()) return {};
  if (has_flags && !labels.is_folder && options.kept_splits != KeptSplits::none) return {};
  if (has_flags) return ", but --val or --split is given: they are read as one split";
  if (!labels.is_folder)
    return ", but one label file lists them all: they are read as one split; for more, write a "
           "label file for each";
  if (splits.are_named() || splits.one_may_be_held_out())
    return ", but none is called train: they are read as one split; for more, name that of train "
           "by --input, that of val by --val";
  return ", but not each picture's by such a word alone (train/, val2017/): they are read as one "
         "split; for more, name that of train by --input, that of val by --val";
}

void take_folder_splits(const Input& given, const Input& labels, const AnnotationOptions& options,
                        AnnotationSet& set) {
  FolderSplits splits(given, set);
  set.label_folders = {};
  const bool taken =
      labels.is_folder && options.splits_by_folders && splits.are_named() && splits.one_is_train();
  if (taken) {
    const bool all_kept = options.kept_splits == KeptSplits::all;
    splits.give_to(set.items, all_kept ? "train" : "");
    const std::int64_t n = splits.elsewhere();
    if (all_kept)
      set.remarks.push_back(
          "splits by the names of folders: " + splits.text(true) +
          (n > 0 ? ", and " + counted(n, "picture", "pictures") + " of other folders read as train"
                 : "") +
          "; to read all as train, pass --val 0");
  } else if (splits.may_name_splits() || (set.format != "folder" && splits.one_may_be_held_out())) {
    const std::string why = why_not(labels, options, splits);
    if (!why.empty())
      set.remarks.push_back("folders may name splits (" + splits.text(!splits.may_name_splits()) +
                            ")" + why);
  }
}

}  // namespace

void settle_folder_splits(const Input& given, const Input& labels, const AnnotationOptions& options,
                          AnnotationSet& set) {
  // Folders that were said to be classes are. Objects of other formats may be trains.
  const bool are_classes =
      set.format == "folder" && std::ranges::any_of(set.classes, is_named_by_splits_and_pictures);
  if (!is_stated(set) && !are_classes) take_folder_splits(given, labels, options, set);
  leave_out_splits(labels.path, options.kept_splits, set);
}

}  // namespace letterpress::annotations
