#include "listed_splits.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/readers/xml/voc_ids.h"
#include "formats/annotations/shared/stated_splits.h"

namespace letterpress::annotations {
namespace {
namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".txt", kTrainVal = "trainval";

// "train", "val", "test" or "trainval": what a list is called after; empty: nothing of these.
std::string kind_of(std::string_view name) {
  return in_small_letters(name) == kTrainVal ? std::string(kTrainVal) : split_of_name(name);
}

class Lists {
 public:
  Lists(const FileTree& files, fs::path folder, const AnnotationFormat& voc,
        const AnnotationOptions& options)
      : files_(files), folder_(std::move(folder)), voc_(voc), options_(options) {}

  // Which lists there are, by what they are called after. of_classes: those of one class where
  // there are no others.
  void find(bool of_classes, std::vector<std::string>& remarks) {
    const std::vector<std::string> names = files_.names_in(folder_);
    for (const auto& [name, split] : called_after_splits(names, kEnding)) add(split, name, remarks);
    for (const std::string& name : names) {
      if (in_small_letters(name) == std::string(kTrainVal) + std::string(kEnding))
        add(std::string(kTrainVal), name, remarks);
    }
    if (of_classes && lists_.empty()) find_of_classes(names, remarks);
  }

  const fs::path& folder() const { return folder_; }
  // "train.txt, val.txt": those that name pictures which have labels.
  std::string names_of_use() const {
    std::string names;
    for (const auto& [kind, list] : lists_) {
      if (is_of_use(kind))
        names += (names.empty() ? "" : ", ") + printable(list.filename().string());
    }
    return names;
  }
  const fs::path& path(const std::string& kind) const { return lists_.at(kind); }
  bool is_there(const std::string& kind) const { return lists_.contains(kind); }
  // Whether it is there and names pictures that have labels.
  bool is_of_use(const std::string& kind) const {
    return is_there(kind) && voc_.recognise(look_at(files_, path(kind)), options_).fits;
  }

 private:
  void add(const std::string& kind, const std::string& name, std::vector<std::string>& remarks) {
    if (!files_.file_fault((folder_ / name).string()).empty()) return;
    const auto [first, is_first] = lists_.emplace(kind, folder_ / name);
    if (!is_first)
      remarks.push_back(printable((folder_ / name).string(), 1000) + " is not read, since " +
                        printable(first->second.filename().string()) + " lists the same split");
  }

  std::set<std::string> ids_in(const std::string& name) const {
    std::set<std::string> ids;
    for (VocId& one : read_voc_ids(files_.read_text(folder_ / name), name).ids)
      ids.insert(std::move(one.id));
    return ids;
  }

  // In VOC each class's list of a split has all pictures of the split, so that one tells them.
  void find_of_classes(const std::vector<std::string>& names, std::vector<std::string>& remarks) {
    std::map<std::string, std::set<std::string>> ids;
    for (const std::string& name : names) {
      const std::size_t line = name.rfind('_');
      if (line == std::string::npos || !in_small_letters(name).ends_with(kEnding)) continue;
      const std::string kind =
          kind_of(std::string_view(name).substr(line + 1, name.size() - line - 1 - kEnding.size()));
      if (kind.empty() || !files_.file_fault((folder_ / name).string()).empty()) continue;
      std::set<std::string> its = ids_in(name);
      const auto known = ids.find(kind);
      if (known == ids.end()) {
        ids.emplace(kind, std::move(its));
        lists_.emplace(kind, folder_ / name);
      } else if (known->second != its) {
        remarks.push_back(printable(folder_.string(), 1000) +
                          " has lists of single classes only, " + "and " +
                          printable(lists_.at(kind).filename().string()) + " and " +
                          printable(name) + " do not list the same pictures: they are not taken " +
                          "for splits; write " + kind + ".txt of its pictures");
        return lists_.clear();
      }
    }
  }

  const FileTree& files_;
  fs::path folder_;
  const AnnotationFormat& voc_;
  const AnnotationOptions& options_;
  std::map<std::string, fs::path> lists_;  // by kind_of
};

// of_two: one list alone is not taken.
std::vector<LabelPart> splits_of(const Lists& lists, bool of_two,
                                 std::vector<std::string>& remarks) {
  const std::string trainval(kTrainVal);
  const bool has_val = lists.is_of_use("val");
  const bool own_train = lists.is_of_use("train") && (has_val || !lists.is_of_use(trainval));
  const std::string train = own_train ? "train" : trainval;
  std::vector<LabelPart> splits;
  if (lists.is_of_use(train)) splits.push_back({lists.path(train), "train"});
  for (const std::string split : {"val", "test"}) {
    if (lists.is_of_use(split)) {
      splits.push_back({lists.path(split), split});
    } else if (lists.is_there(split)) {
      remarks.push_back(printable(lists.path(split).string(), 1000) +
                        " lists no picture that has labels here, and is not taken for a split");
    }
  }
  if (splits.empty()) return splits;
  const bool has_train = splits.front().split == "train";
  if (has_train && (splits.size() > 1 || !of_two)) return splits;
  std::string names;
  for (const LabelPart& list : splits)
    names += (names.empty() ? "" : " and ") + printable(list.labels.string(), 1000);
  remarks.push_back(
      names + (splits.size() == 1 ? " is not taken for a split" : " are not taken for splits") +
      ": there is no list of " + (has_train ? "val or test" : "train") + " beside it");
  return {};
}

// Lists whose names hold more than a split, as 2007_train.txt does, of this set's pictures.
void note_called_otherwise(const Lists& lists, const FileTree& files, const AnnotationFormat& voc,
                           const AnnotationOptions& options, std::vector<std::string>& remarks) {
  std::string names;
  for (const std::string& name : files.names_in(lists.folder())) {
    const std::string stem = in_small_letters(name).substr(0, name.rfind('.'));
    if (!in_small_letters(name).ends_with(kEnding) || split_in(stem).empty() ||
        !kind_of(stem).empty() || !files.file_fault((lists.folder() / name).string()).empty() ||
        !voc.recognise(look_at(files, lists.folder() / name), options).fits)
      continue;
    names += (names.empty() ? "" : ", ") + printable(name);
  }
  if (names.empty()) return;
  remarks.push_back("lists in " + printable(lists.folder().string(), 1000) + " may state splits (" +
                    names + "), but are not read: call them train.txt, val.txt and test.txt");
}

// Lists of VOC's other tasks, ImageSets/Segmentation say, where there are no others.
void note_other_tasks(const FileTree& files, const fs::path& sets, const AnnotationFormat& voc,
                      const AnnotationOptions& options, std::vector<std::string>& remarks) {
  for (const std::string& name : files.names_in(sets)) {
    if (name == "Main" || !files.is_folder(sets / name)) continue;
    Lists lists(files, sets / name, voc, options);
    std::vector<std::string> ignored;
    lists.find(false, ignored);
    const std::string names = lists.names_of_use();
    if (names.empty()) continue;
    remarks.push_back("lists in " + printable(lists.folder().string(), 1000) +
                      " may state splits (" + names +
                      "), but are not read: copy them to ImageSets/Main to have them read");
  }
}

}  // namespace

std::vector<LabelPart> listed_splits(const Input& folder, const AnnotationFormat& voc,
                                     const AnnotationOptions& options,
                                     std::vector<std::string>& remarks) {
  const fs::path sets = folder.path / "ImageSets", main = sets / "Main";
  std::vector<LabelPart> splits;
  for (const fs::path& place : {main, sets, folder.path}) {
    Lists lists(folder.files, place, voc, options);
    std::vector<std::string> told;
    lists.find(place == main, told);
    const std::string names = lists.names_of_use();
    if (splits.empty()) {
      splits = splits_of(lists, place != main, told);
      if (splits.empty() && place != main)
        note_called_otherwise(lists, folder.files, voc, options, told);
      std::ranges::move(told, std::back_inserter(remarks));
    } else if (!names.empty()) {
      remarks.push_back("lists in " + printable(place.string(), 1000) + " (" + names +
                        ") are not read, since those in " +
                        printable(splits.front().labels.parent_path().string(), 1000) +
                        " state the splits");
    }
  }
  if (splits.empty()) note_other_tasks(folder.files, sets, voc, options, remarks);
  return splits;
}

void note_lists_beside(const Input& folder, const fs::path& labels,
                       std::vector<std::string>& remarks) {
  if (labels.parent_path() != folder.path) return;
  const fs::path sets = folder.path / "ImageSets";
  for (const fs::path& place : {sets / "Main", sets, folder.path}) {
    std::string names;
    for (const SplitName& list : called_after_splits(folder.files.names_in(place), kEnding))
      names += (names.empty() ? "" : ", ") + printable(list.name);
    if (names.empty()) continue;
    remarks.push_back("lists in " + printable(place.string(), 1000) + " may state splits (" +
                      names + "), but are not read: rename " +
                      printable(labels.filename().string()) + " to Annotations to have them read");
  }
}

void note_lists_above(const Input& labels, const AnnotationFormat& voc,
                      const AnnotationOptions& options, std::vector<std::string>& remarks) {
  const fs::path folder = absolute_folder(labels.path);
  if (folder.filename() != "Annotations") return;
  const fs::path above = folder.parent_path(), sets = above / "ImageSets";
  for (const fs::path& place : {sets / "Main", sets}) {
    std::vector<LabelPart> splits;
    try {
      Lists lists(labels.files, place, voc, options);
      std::vector<std::string> ignored;
      lists.find(place != sets, ignored);
      splits = splits_of(lists, place == sets, ignored);
    } catch (const std::exception&) {  // of lists that are not read anyway
    }
    // Those of train and val alone are not read where a flag makes these.
    const bool are_read = std::ranges::any_of(splits, [&](const LabelPart& list) {
      return list.split != "train" && is_kept(options.kept_splits, list.split);
    });
    if (!are_read) continue;
    return remarks.push_back(lists_above_text(place, "", above));
  }
}

}  // namespace letterpress::annotations
