#include "yolo_split_lists.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/pictures/names_by_id.h"
#include "formats/annotations/pictures/picture_finder.h"
#include "formats/annotations/shared/stated_splits.h"
#include "letterpress/base/error.h"
#include "letterpress/base/git_lfs.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kListEnding = ".txt", kAutosplit = "autosplit_";

// Lists by the splits that they are called after, the plain names before Ultralytics'.
std::vector<SplitName> lists_called_after_splits(const std::vector<std::string>& names) {
  std::vector<SplitName> lists = called_after_splits(names, kListEnding);
  std::vector<std::string> automatic;
  for (const std::string& name : names) {
    if (name.starts_with(kAutosplit)) automatic.push_back(name.substr(kAutosplit.size()));
  }
  for (const auto& [name, split] : called_after_splits(automatic, kListEnding))
    lists.push_back({std::string(kAutosplit) + name, split});
  return lists;
}

// Whether one of its first lines leads to a picture.
bool names_pictures(const Input& folder, const fs::path& list, const AnnotationOptions& options) {
  constexpr int kLooks = 100;
  const FileTree& files = folder.files;
  if (!files.file_fault(list.string()).empty()) return false;
  const std::string text = files.read_text(list);
  if (is_utf16(text)) return true;  // it is refused as such when it is read
  if (is_git_lfs_pointer(text))
    throw Error({.where = list.string(), .what = kIsGitLfsPointer, .fix = kFetchGitLfs});
  PictureFinder finder(files, folder.path, split_list_folders(folder.path), options);
  Lines lines(text);
  for (int i = 0; i < kLooks && lines.next(); ++i) {
    const std::string name(lines.text());
    if (finder.find(names_in_split_list(name), "")) return true;
  }
  return false;
}

std::vector<SplitName> lists_of_set(const Input& folder, const AnnotationOptions& options) {
  std::vector<SplitName> lists = lists_called_after_splits(folder.files.names_in(folder.path));
  std::erase_if(lists, [&](const SplitName& list) {
    return !names_pictures(folder, folder.path / list.name, options);
  });
  return lists;
}

std::string shown_names(const std::vector<SplitName>& lists) {
  std::string text;
  for (const SplitName& list : lists) text += (text.empty() ? "" : ", ") + printable(list.name);
  return text;
}

// Why lists are not taken; empty: they are.
std::string why_not(const std::vector<SplitName>& lists, const AnnotationOptions& options,
                    const YoloDataset& dataset) {
  const bool one_is_kept = std::ranges::any_of(
      lists, [&](const SplitName& list) { return is_kept(options.kept_splits, list.split); });
  if (!options.splits_by_folders || !one_is_kept)
    return "--val or --split is given: all pictures are read";
  if (dataset.sources.front().is_labels)
    return "the pictures are not in this folder: they are read as one split; for more, put them "
           "into images/ beside labels/";
  const auto of_train = std::ranges::count(lists, "train", &SplitName::split);
  if (of_train == 0) return "none is of train: all pictures are read as one split";
  return of_train == std::ssize(lists)
             ? "none is of val or test: all pictures are read as one split"
             : "";
}

}  // namespace

std::vector<fs::path> split_list_folders(const fs::path& folder) {
  return {folder, folder / "images"};
}

std::vector<std::string> names_in_split_list(const std::string& line) {
  if (has_picture_extension(line)) return {line};
  return picture_names_by_id(line, "");
}

void take_split_lists(const Input& folder, const AnnotationOptions& options, YoloDataset& dataset) {
  std::vector<SplitName> lists = lists_of_set(folder, options);
  if (lists.empty()) return;
  const std::string in = " in " + printable(folder.path.string(), 1000);
  if (const std::string why = why_not(lists, options, dataset); !why.empty()) {
    dataset.remarks.push_back("lists" + in + " may state splits (" + shown_names(lists) +
                              "), but " + why);
    return;
  }
  std::set<std::string> taken;
  std::vector<SplitName> own;
  for (SplitName& list : lists) {
    if (taken.insert(list.split).second) {
      own.push_back(std::move(list));
    } else {
      dataset.remarks.push_back(printable((folder.path / list.name).string(), 1000) +
                                " is not read: another list is of " + list.split);
    }
  }
  const bool all_kept = options.kept_splits == KeptSplits::all;
  std::vector<YoloSource> sources;
  for (const SplitName& list : own) {
    if (is_kept(options.kept_splits, list.split))
      sources.push_back(
          {.path = folder.path / list.name, .split = list.split, .is_split_list = true});
  }
  if (!all_kept) std::ranges::move(dataset.sources, std::back_inserter(sources));
  dataset.sources = std::move(sources);
  if (all_kept) {
    dataset.remarks.push_back("splits by the lists" + in + ": " + shown_names(own) +
                              "; to read all pictures as train, pass --val 0");
  } else {
    dataset.remarks.push_back("of the lists" + in + " (" + shown_names(own) +
                              ") those of train and val are not read: --val draws from all other "
                              "pictures");
  }
}

void note_split_lists_above(const Input& folder, const AnnotationOptions& options,
                            YoloDataset& dataset) {
  if (folder.files.archive()) return;
  fs::path images = absolute_folder(folder.path);
  const auto is_images = [](const fs::path& path) {
    return in_small_letters(path.filename().string()) == "images";
  };
  if (!is_images(images)) images = images.parent_path();
  if (!is_images(images)) return;
  const fs::path above = images.parent_path();
  std::vector<SplitName> lists;
  try {
    lists = lists_of_set({.files = folder.files, .path = above, .is_folder = true}, options);
  } catch (const std::exception&) {  // of lists that are not read anyway
  }
  // Those of train and val alone are not read where a flag makes these.
  const bool are_read = std::ranges::any_of(lists, [&](const SplitName& list) {
    return list.split != "train" && is_kept(options.kept_splits, list.split);
  });
  if (!are_read || std::ranges::count(lists, "train", &SplitName::split) == 0) return;
  dataset.remarks.push_back(lists_above_text(above, shown_names(lists), above));
}

}  // namespace letterpress::annotations
