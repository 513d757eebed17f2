#include "preprocess/inputs/input_splits.h"

#include <map>
#include <set>

namespace letterpress {
namespace {

namespace fs = std::filesystem;

struct Named {
  fs::path folder;
  std::string split;
};

Named named(const fs::path& input) {
  fs::path path = fs::absolute(input).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return {path.parent_path(), split_called(path)};
}

}  // namespace

InputSplits splits_of_inputs(const BuildOptions& options) {
  InputSplits result{.splits = std::vector<std::string>(options.inputs.size()), .remarks = {}};
  if (options.inputs.size() < 2 || !options.val.empty() || !options.splits.empty()) return result;
  std::vector<Named> all;
  std::map<fs::path, std::set<std::string>> in_folder;
  for (const fs::path& input : options.inputs) {
    all.push_back(named(input));
    if (!all.back().split.empty()) in_folder[all.back().folder].insert(all.back().split);
  }
  std::string taken;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [folder, split] = all[i];
    if (split.empty()) continue;
    const std::set<std::string>& beside = in_folder.at(folder);
    if (beside.size() > 1 && beside.contains("train")) {
      result.splits[i] = split;
      taken += (taken.empty() ? "" : ", ") + options.inputs[i].string() + " " + split;
    } else if (split != "train") {
      result.remarks.push_back(
          options.inputs[i].string() + ": read as train though it is called after " + split +
          "; give it with --" + (split == "val" ? "val" : "split " + split + "=...") +
          ", or pass --val 0 if it is for training");
    }
  }
  if (!taken.empty())
    result.remarks.push_back("splits by the names of inputs: " + taken +
                             "; to read all as train, pass --val 0");
  return result;
}

}  // namespace letterpress
