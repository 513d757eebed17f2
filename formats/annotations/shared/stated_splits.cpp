#include "stated_splits.h"

#include <cstdint>
#include <map>

#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "letterpress/base/shell_word.h"

namespace letterpress {

bool is_kept(KeptSplits kept, const std::string& split) {
  if (split.empty() || kept == KeptSplits::all) return true;
  return kept == KeptSplits::held_out && split != "train" && split != "val";
}

}  // namespace letterpress

namespace letterpress::annotations {
namespace {

// What the words of a label file say, but for those of pictures whose folder is of a split.
struct Counts {
  std::map<std::string, std::int64_t> splits;
  std::int64_t stated = 0, unknown = 0, without = 0;
  std::int64_t overruled = 0;  // by the picture's folder
  std::string first;
};

Counts counts_of(const std::vector<std::string>& words, const AnnotationSet& set) {
  Counts counts;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string split = split_of_name(words[i]);
    const std::string& by_folder = set.items[i].split;
    if (!by_folder.empty()) {
      counts.overruled += !words[i].empty() && split != by_folder;
      continue;
    }
    if (words[i].empty()) {
      ++counts.without;
      continue;
    }
    if (counts.stated++ == 0) counts.first = words[i];
    if (split.empty()) {
      ++counts.unknown;
    } else {
      ++counts.splits[split];
    }
  }
  return counts;
}

// The split that pictures are read as: of the label file's name or folder, else train.
std::string split_of_labels(const std::filesystem::path& path) {
  std::string split = split_in(path.filename().string());
  if (split.empty()) split = split_of_folders(path.parent_path().filename().string());
  return split.empty() ? "train" : split;
}

std::string is_or_are(std::int64_t n) { return std::to_string(n) + (n == 1 ? " is" : " are"); }

// Why the words cannot be read; empty: they can.
std::string fault_of(const Counts& counts) {
  if (counts.unknown > 0) return is_or_are(counts.unknown) + " of none that is known";
  if (counts.without > 0)
    return std::to_string(counts.without) + (counts.without == 1 ? " does not" : " do not");
  return counts.splits.contains("train") ? "" : "none is train";
}

bool are_as_read(const std::map<std::string, std::int64_t>& splits,
                 const std::filesystem::path& labels) {
  return splits.size() == 1 && splits.contains(split_of_labels(labels));
}

std::string told_unread(const std::map<std::string, std::int64_t>& splits, std::int64_t unknown) {
  std::int64_t stated = unknown;
  for (const auto& [split, n] : splits) stated += n;
  std::string text = counts_text(splits);
  if (unknown > 0) text += (text.empty() ? "" : ", ") + std::to_string(unknown) + " not known";
  return counted(stated, "picture states a split", "pictures state splits") + " (" + text +
         (stated == 1 ? ") that is" : ") that are") +
         " not read: --val, --split or the label file's name decides";
}

std::string told(const Counts& counts, const std::string& fault) {
  return counted(counts.stated, "picture states", "pictures state") + " a split, the first " +
         in_quotes(counts.first) + ", and " + fault +
         ": it is not read; state train, val or test of each picture, or write a label file for "
         "each split";
}

}  // namespace

std::string counts_text(const std::map<std::string, std::int64_t>& splits) {
  std::string text;
  for (const auto& [split, n] : splits)
    text += (text.empty() ? "" : ", ") + split + " " + std::to_string(n);
  return text;
}

void StatedSplits::settle(const Input& input, const AnnotationOptions& options,
                          AnnotationSet& set) const {
  const Counts counts = counts_of(words_, set);
  if (counts.overruled > 0 && options.splits_by_folders && options.kept_splits == KeptSplits::all)
    set.remarks.push_back(counted(counts.overruled, "picture states another split than its folder",
                                  "pictures state another split than their folders") +
                          "; the folder's is read");
  const bool as_read = counts.unknown == 0 && are_as_read(counts.splits, input.path);
  if (counts.stated == 0 || as_read) return;
  if (!options.splits_by_folders)
    return set.remarks.push_back(told_unread(counts.splits, counts.unknown));
  if (const std::string fault = fault_of(counts); !fault.empty())
    return set.remarks.push_back(told(counts, fault));
  if (options.kept_splits == KeptSplits::all)
    set.remarks.push_back("splits as the label file states them: " + counts_text(counts.splits) +
                          "; to read all as train, pass --val 0");
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (set.items[i].split.empty()) set.items[i].split = split_of_name(words_[i]);
  }
}

std::string lists_above_text(const std::filesystem::path& folder, const std::string& names,
                             const std::filesystem::path& above) {
  return "lists in " + printable(folder.string(), 1000) +
         (names.empty() ? "" : " (" + names + ")") +
         " state splits and are not read; to read them, pass --input " + shell_word(above.string());
}

void leave_out_splits(const std::filesystem::path& labels, KeptSplits kept, AnnotationSet& set) {
  if (kept == KeptSplits::all) return;
  std::map<std::string, std::int64_t> left_out, stays;
  for (Item& item : set.items) {
    if (is_kept(kept, item.split)) {
      if (!item.split.empty()) ++stays[item.split];
      continue;
    }
    ++left_out[item.split];
    item.split.clear();
  }
  for (Reject& reject : set.rejects) {
    if (!is_kept(kept, reject.split)) reject.split.clear();
  }
  const std::string kept_text = stays.empty() ? "" : "; read as stated: " + counts_text(stays);
  if (!left_out.empty() && !are_as_read(left_out, labels)) {
    set.remarks.push_back(told_unread(left_out, 0) + kept_text);
  } else if (!stays.empty()) {
    set.remarks.push_back("splits as stated: " + counts_text(stays) +
                          "; to read all as train, pass --val 0");
  }
}

std::string split_among(const std::vector<std::string>& tags) {
  std::string found;
  for (const std::string& tag : tags) {
    if (!split_of_name(tag).empty()) found += (found.empty() ? "" : ", ") + tag;
  }
  return found;
}

}  // namespace letterpress::annotations
