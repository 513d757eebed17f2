#include "listed_splits.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/readers/xml/voc_ids.h"

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
  Lists(const Input& folder, const AnnotationFormat& voc, const AnnotationOptions& options)
      : files_(folder.files),
        folder_(folder.path / "ImageSets" / "Main"),
        voc_(voc),
        options_(options) {}

  // Which lists there are, by what they are called after. Those of one class where there are no
  // others.
  void find(std::vector<std::string>& remarks) {
    const std::vector<std::string> names = files_.names_in(folder_);
    for (const auto& [name, split] : called_after_splits(names, kEnding)) add(split, name, remarks);
    for (const std::string& name : names) {
      if (in_small_letters(name) == std::string(kTrainVal) + std::string(kEnding))
        add(std::string(kTrainVal), name, remarks);
    }
    if (lists_.empty()) find_of_classes(names, remarks);
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

}  // namespace

std::vector<LabelPart> listed_splits(const Input& folder, const AnnotationFormat& voc,
                                     const AnnotationOptions& options,
                                     std::vector<std::string>& remarks) {
  Lists lists(folder, voc, options);
  lists.find(remarks);
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
  if (splits.empty() || splits.front().split == "train") return splits;
  remarks.push_back(printable(splits.front().labels.string(), 1000) +
                    " is not taken for a split: there is no list of train beside it");
  return {};
}

}  // namespace letterpress::annotations
