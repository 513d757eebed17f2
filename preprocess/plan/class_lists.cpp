#include "preprocess/plan/class_lists.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

using Names = std::vector<std::string>;

std::string quoted(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

bool has_any(const std::map<std::string, std::int64_t>& counts, const std::string& name) {
  const auto count = counts.find(name);
  return count != counts.end() && count->second > 0;
}

// By place in inputs.classes: whether a stored picture has the class.
std::vector<bool> used_classes(const Inputs& inputs) {
  std::vector<bool> used(inputs.classes.size());
  for (const Candidate& candidate : inputs.candidates) {
    if (!candidate.stored()) continue;
    for (const LabelBox& box : candidate.boxes) used[static_cast<std::size_t>(box.class_id)] = true;
    if (candidate.item.label >= 0) used[static_cast<std::size_t>(candidate.item.label)] = true;
  }
  return used;
}

// inputs.classes as their ids were called by the list of the last build; none when each class is
// where it was.
std::optional<Names> names_by_old_places(const Inputs& inputs, const std::string& labels,
                                         const Previous& previous, const BuildOptions& options) {
  const auto now = inputs.class_lists.find(labels);
  const auto before = previous.snapshot.class_lists.find(labels);
  if (now == inputs.class_lists.end() || before == previous.snapshot.class_lists.end())
    return std::nullopt;
  bool moved = false;
  Names names = inputs.classes;
  for (std::size_t i = 0; i < std::min(now->second.size(), before->second.size()); ++i) {
    const std::string& name = renamed(before->second[i], options.renames);
    moved = moved ||
            (now->second[i] != name && std::ranges::find(now->second, name) != now->second.end());
    const auto place = std::ranges::find(inputs.classes, now->second[i]);
    if (place != inputs.classes.end())
      names[static_cast<std::size_t>(place - inputs.classes.begin())] = before->second[i];
  }
  return moved ? std::optional(std::move(names)) : std::nullopt;
}

}  // namespace

void check_class_order(const Inputs& inputs, const Previous& previous,
                       const BuildOptions& options) {
  if (options.new_class_order || inputs.class_lists.empty()) return;
  std::vector<std::optional<Names>> old_names;
  for (const std::string& labels : inputs.label_files)
    old_names.push_back(names_by_old_places(inputs, labels, previous, options));
  if (std::ranges::none_of(old_names, [](const auto& names) { return names.has_value(); })) return;
  std::unordered_map<Hash128, const LedgerEntry*> stored;
  for (const LedgerEntry& entry : previous.ledger) {
    if (entry.state == InputState::stored) stored.emplace(entry.picture_hash, &entry);
  }
  for (const Candidate& candidate : inputs.candidates) {
    const std::optional<Names>& names = old_names.at(candidate.label_file);
    const auto entry = stored.find(candidate.picture_hash);
    if (!candidate.stored() || !names || entry == stored.end()) continue;
    const Hash128& before = entry->second->labels_hash;
    if (candidate.labels_hash == before ||
        hash_labels(candidate.boxes, candidate.item.label, *names) != before)
      continue;
    throw Error({.where = inputs.label_files.at(candidate.label_file),
                 .what = "its class list has another order than in the last build and its labels "
                         "have the old ids, so " +
                         picture_path(candidate.item) +
                         " and others would change their class; nothing was published",
                 .fix = "restore the order and add new names at the end; if the old order was "
                        "wrong, pass --new-class-order"},
                Exit::data);
  }
}

void note_replaced_classes(const Inputs& inputs, const Previous& previous,
                           BuildListener& listener) {
  const Snapshot& then = previous.snapshot;
  const std::vector<bool> used = used_classes(inputs);
  Names gone, come;
  for (std::size_t i = 0; i < inputs.classes.size(); ++i) {
    const bool known = i < previous.old_classes.size();
    if (!known && used[i]) come.push_back(inputs.classes[i]);
    if (!known || used[i]) continue;
    const std::string& name = previous.old_classes[i];
    if (has_any(then.statistics.boxes_per_class, name) ||
        has_any(then.statistics.pictures_per_class, name))
      gone.push_back(inputs.classes[i]);
  }
  if (gone.empty() || come.empty()) return;
  listener.note("no label is of class " + quoted(gone) + " any more, and " + quoted(come) +
                (come.size() == 1 ? " is" : " are") +
                " new: if that is only another name, pass --rename-class " + gone.front() + "=" +
                come.front());
}

}  // namespace letterpress
