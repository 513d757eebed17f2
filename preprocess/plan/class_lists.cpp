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

// As programs before outlines hashed them.
std::vector<LabelBox> without_outlines(std::vector<LabelBox> boxes) {
  for (LabelBox& box : boxes) box.outline.clear();
  return boxes;
}

// inputs.classes as the ids of the list `now` were called by the list `before`; none when each
// class is where it was.
std::optional<Names> names_by_old_places(const Names& classes, const Names& now,
                                         const Names& before, const BuildOptions& options) {
  bool moved = false;
  Names names = classes;
  for (std::size_t i = 0; i < std::min(now.size(), before.size()); ++i) {
    const std::string& name = renamed(before[i], options.renames);
    moved = moved || (now[i] != name && std::ranges::find(now, name) != now.end());
    const auto place = std::ranges::find(classes, now[i]);
    if (place != classes.end())
      names[static_cast<std::size_t>(place - classes.begin())] = before[i];
  }
  return moved ? std::optional(std::move(names)) : std::nullopt;
}

struct OldOrders {
  std::vector<Names> names{};  ///< inputs.classes by each list of another order
  bool has_kept_one = false;   ///< a list with several names of this one, or all, has its order
};

// The same by each list that may be an older one of this label file: its own of the last build;
// where the file is new, as each export of a tool is, any.
OldOrders old_orders_of(const Inputs& inputs, const std::string& labels, const Previous& previous,
                        const BuildOptions& options) {
  OldOrders old;
  const auto now = inputs.class_lists.find(labels);
  if (now == inputs.class_lists.end()) return old;
  const auto& lists = previous.snapshot.class_lists;
  const bool is_known = lists.contains(labels);
  for (const auto& [file, before] : lists) {
    if (is_known && file != labels) continue;
    auto names = names_by_old_places(inputs.classes, now->second, before, options);
    if (!names) {
      const auto shared = std::ranges::count_if(now->second, [&](const std::string& name) {
        return std::ranges::find(before, name) != before.end();
      });
      old.has_kept_one = old.has_kept_one || shared > 1 || shared == std::ssize(now->second);
    } else if (std::ranges::find(old.names, *names) == old.names.end()) {
      old.names.push_back(*std::move(names));
    }
  }
  return old;
}

// Pictures that were built before show whether labels follow the new order. Without such pictures
// nobody can tell.
void note_unproven_orders(const Inputs& inputs, const std::vector<OldOrders>& old,
                          const std::vector<bool>& proven, BuildListener& listener) {
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].names.empty() || old[i].has_kept_one || proven[i]) continue;
    listener.note(inputs.label_files[i] +
                  ": its class list has another order than in the last build, and no picture of "
                  "that build shows whether its labels follow it: ids are read by the new list; "
                  "look at `preview`");
  }
}

}  // namespace

void check_class_order(const Inputs& inputs, const Previous& previous, const BuildOptions& options,
                       BuildListener& listener) {
  if (options.new_class_order || inputs.class_lists.empty()) return;
  std::vector<OldOrders> old;
  for (const std::string& labels : inputs.label_files)
    old.push_back(old_orders_of(inputs, labels, previous, options));
  if (std::ranges::all_of(old, [](const OldOrders& orders) { return orders.names.empty(); }))
    return;
  std::vector<bool> proven(old.size());
  std::unordered_map<Hash128, const LedgerEntry*> stored;
  for (const LedgerEntry& entry : previous.ledger) {
    if (entry.state == InputState::stored) stored.emplace(entry.picture_hash, &entry);
  }
  for (const Candidate& candidate : inputs.candidates) {
    const auto entry = stored.find(candidate.picture_hash);
    if (!candidate.stored() || entry == stored.end()) continue;
    const Hash128& before = entry->second->labels_hash;
    const auto has_old_ids = [&](const Names& names) {
      return hash_labels(candidate.boxes, candidate.item.label, names) == before ||
             hash_labels(without_outlines(candidate.boxes), candidate.item.label, names) == before;
    };
    const bool fits_old = std::ranges::any_of(old.at(candidate.label_file).names, has_old_ids);
    if (candidate.labels_hash == before) {
      // A picture without objects, or of a class that has kept its place, fits both.
      if (!fits_old) proven.at(candidate.label_file) = true;
      continue;
    }
    if (!fits_old) continue;
    throw Error({.where = inputs.label_files.at(candidate.label_file),
                 .what = "its class list has another order than in the last build and its labels "
                         "have the old ids, so " +
                         picture_path(candidate.item) +
                         " and others would change their class; nothing was published",
                 .fix = "restore the order and add new names at the end; if the old order was "
                        "wrong, pass --new-class-order"},
                Exit::data);
  }
  note_unproven_orders(inputs, old, proven, listener);
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
