#include "preprocess/inputs/held_out.h"

#include <unordered_set>

namespace letterpress {

HeldOut held_out_by_lists(const LabelParts& lists, KeptSplits kept,
                          const AnnotationOptions& options, std::vector<std::string>& remarks) {
  HeldOut held_out;
  for (const LabelPart& list : lists.parts) {
    if (!is_kept(kept, list.split)) continue;
    AnnotationSet listed = read_annotations(list.labels, options);
    for (const Item& item : listed.items) held_out.splits.emplace(picture_path(item), list.split);
    for (Reject& reject : listed.rejects) {
      if (reject.scope != Reject::Scope::picture) continue;
      held_out.splits.emplace(reject.path.empty() ? reject.where : reject.path, list.split);
      reject.split = list.split;
      held_out.rejects.push_back(std::move(reject));
    }
    remarks.push_back(list.labels.string() + ": its pictures stay " + list.split + " (" +
                      std::to_string(listed.items.size()) +
                      "), --val draws from all others; to read all as train, pass --val 0");
  }
  return held_out;
}

void hold_out(const HeldOut& held_out, AnnotationSet& set) {
  const auto give = [&](const std::string& path, std::string& split) {
    const auto found = held_out.splits.find(path);
    if (found != held_out.splits.end()) split = found->second;
  };
  for (Item& item : set.items) give(picture_path(item), item.split);
  std::unordered_set<std::string> known;
  for (Reject& reject : set.rejects) {
    give(reject.path.empty() ? reject.where : reject.path, reject.split);
    known.insert(reject.where);
    if (!reject.path.empty()) known.insert(reject.path);
  }
  if (!held_out.rejects.empty()) {
    for (const Item& item : set.items) known.insert(picture_path(item));
  }
  for (const Reject& reject : held_out.rejects) {
    if (!known.contains(reject.where) && !known.contains(reject.path))
      set.rejects.push_back(reject);
  }
}

}  // namespace letterpress
