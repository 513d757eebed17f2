#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/annotations/files/input.h"

namespace letterpress::annotations {

/// What a label file says of each picture's split, in a word of its own: "Validation". Such words
/// are read where every picture has one that is known, train among them; else they are told.
class StatedSplits {
 public:
  /// Of the picture that was added to the set last; empty: it states none.
  void add(std::string_view word) { words_.emplace_back(word); }
  /// Once all are added: gives the items their splits, or adds a remark why not. What an item
  /// states already, by its folder, stays. Where options.splits_by_folders is false nothing is
  /// read. Which splits are kept is not looked at here.
  void settle(const Input& input, const AnnotationOptions& options, AnnotationSet& set) const;

 private:
  std::vector<std::string> words_;  // per item
};

/// How many pictures each split has: "test 1, train 8".
std::string counts_text(const std::map<std::string, std::int64_t>& splits);

/// What a remark says of lists in a folder, with their names or "", that state splits and lie above
/// the folder that is given. above: of the set.
std::string lists_above_text(const std::filesystem::path& folder, const std::string& names,
                             const std::filesystem::path& above);

/// Takes from items and rejects the splits that are not kept, with a remark that counts them.
void leave_out_splits(const std::filesystem::path& labels, KeptSplits kept, AnnotationSet& set);

/// The one of a picture's tags that is the name of a split; of several all, by commas; empty: none.
std::string split_among(const std::vector<std::string>& tags);

}  // namespace letterpress::annotations
