#include "preprocess/inputs/input_splits.h"

#include <algorithm>
#include <map>
#include <set>

#include "preprocess/options/split_key.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

struct SplitName {
  fs::path folder;    // that the input is in
  std::string split;  // that the input is called after
  std::string
      split_above{};       // that a folder above it is called after, beside those of other inputs
  std::string doubtful{};  // a word of these names that may be of a split
  std::string outer_input{};  // another input that it lies in
};

fs::path absolute_path(const fs::path& input) {
  const fs::path path = fs::absolute(input).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  return path != folder &&
         std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
             folder.end();
}

std::vector<SplitName> names_of(const std::vector<fs::path>& inputs) {
  std::vector<fs::path> paths;
  for (const fs::path& input : inputs) paths.push_back(absolute_path(input));
  // What all inputs are in says nothing of any.
  auto common = std::distance(paths[0].begin(), paths[0].end());
  for (const fs::path& path : paths) {
    const auto differs = std::mismatch(paths[0].begin(), paths[0].end(), path.begin(), path.end());
    common = std::min(common, std::distance(paths[0].begin(), differs.first));
  }
  std::vector<SplitName> names;
  for (const fs::path& path : paths) {
    names.push_back({path.parent_path(), split_called(path)});
    names.back().doubtful = doubtful_split_called(path);
    fs::path so_far;
    auto place = common;
    for (const fs::path& part : path) {
      so_far /= part;
      if (place-- > 0 || !names.back().split_above.empty()) continue;
      names.back().split_above = split_called(so_far);
      if (names.back().doubtful.empty()) names.back().doubtful = doubtful_split_called(so_far);
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (lies_in(path, paths[i])) names.back().outer_input = inputs[i].string();
    }
  }
  return names;
}

// Lists train.txt and test.txt may both be for training; folders, and lists beside one of val,
// are what they are called.
bool are_splits(const std::set<std::string>& names, bool all_folders) {
  return names.size() > 1 && names.contains("train") && (all_folders || names.contains("val"));
}

}  // namespace

InputSplits splits_of_inputs(const BuildOptions& options) {
  InputSplits result{.splits = std::vector<std::string>(options.inputs.size()), .remarks = {}};
  const KeptSplits kept = kept_splits(options.val);
  if (options.inputs.empty()) return result;
  const bool has_others =
      kept == KeptSplits::none ||
      (kept == KeptSplits::all && (!options.val.empty() || !options.splits.empty()));
  const std::string as_train =
      kept == KeptSplits::held_out ? ": --val draws from it" : ": read as train";
  const std::vector<SplitName> names = names_of(options.inputs);
  std::map<fs::path, std::set<std::string>> in_folder;
  std::map<fs::path, bool> all_folders;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].split.empty()) continue;
    in_folder[names[i].folder].insert(names[i].split);
    bool& so_far = all_folders.try_emplace(names[i].folder, true).first->second;
    so_far = so_far && fs::is_directory(options.inputs[i]);
  }
  std::string taken;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& [folder, split, split_above, doubtful, outer] = names[i];
    const std::string input = options.inputs[i].string();
    const bool is_taken = !has_others && !split.empty() && is_kept(kept, split) &&
                          are_splits(in_folder.at(folder), all_folders.at(folder));
    const std::string& called = split.empty() ? split_above : split;
    const bool is_told = !called.empty() && called != "train" &&
                         (kept != KeptSplits::held_out || is_kept(kept, called));
    if (is_taken) {
      result.splits[i] = split;
      taken += (taken.empty() ? "" : ", ") + input + " " + split;
    } else if (is_told && outer.empty()) {
      result.remarks.push_back(
          input + as_train + " though it is called after " + called + "; give it with --" +
          (called == "val" ? "val" : "split " + called + "=...") + " if it is not for training");
    }
    if (called.empty() && !doubtful.empty() && outer.empty())
      result.remarks.push_back(input + as_train + " though '" + doubtful +
                               "' may stand for another split; give it with --val or --split if "
                               "it is not for training");
    if (!outer.empty())
      result.remarks.push_back(
          input + ": lies in " + outer +
          ", which is an input too; a picture of both is stored once" +
          (is_told && !is_taken ? ", one of this alone as train though it is called after " + called
                                : ""));
  }
  if (!taken.empty())
    result.remarks.push_back("splits by the names of inputs: " + taken +
                             "; to read all as train, pass --val 0");
  return result;
}

}  // namespace letterpress
