#include "preprocess/inputs/held_out.h"

namespace letterpress {

SplitsByPath held_out_by_lists(const LabelParts& lists, const AnnotationOptions& options,
                               std::vector<std::string>& remarks) {
  SplitsByPath splits;
  for (const LabelPart& list : lists.parts) {
    if (!is_kept(KeptSplits::held_out, list.split)) continue;
    const AnnotationSet listed = read_annotations(list.labels, options);
    for (const Item& item : listed.items) splits.emplace(picture_path(item), list.split);
    for (const Reject& reject : listed.rejects) {
      if (!reject.path.empty()) splits.emplace(reject.path, list.split);
    }
    remarks.push_back(list.labels.string() + ": its pictures stay " + list.split + " (" +
                      std::to_string(listed.items.size()) +
                      "); to read all as train, pass --val 0");
  }
  return splits;
}

void give_splits(const SplitsByPath& splits, AnnotationSet& set) {
  const auto give = [&](const std::string& path, std::string& split) {
    const auto found = splits.find(path);
    if (found != splits.end()) split = found->second;
  };
  for (Item& item : set.items) give(picture_path(item), item.split);
  for (Reject& reject : set.rejects) give(reject.path, reject.split);
}

}  // namespace letterpress
