#include "preprocess/plan/class_lists.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "letterpress/base/error.h"
#include "preprocess/options/alike_names.h"
#include "preprocess/plan/kept_classes.h"

namespace letterpress {
namespace {

using Names = std::vector<std::string>;

// As programs before outlines hashed them.
std::vector<LabelBox> without_outlines(std::vector<LabelBox> boxes) {
  for (LabelBox& box : boxes) box.outline.clear();
  return boxes;
}

// Classes by the ids that labels have: places in a list, or COCO's categories.
using ById = std::map<std::int64_t, std::string>;
using ListsById = std::map<std::string, ById>;  // by label file

ListsById by_place(const std::map<std::string, Names>& lists) {
  ListsById all;
  for (const auto& [file, names] : lists) {
    ById& list = all[file];
    for (const std::string& name : names) list.emplace(std::ssize(list), name);
  }
  return all;
}

// Older snapshots keep the ids of all label files together: an id that two classes have says
// nothing.
ListsById category_lists_of(const Snapshot& snapshot) {
  if (!snapshot.category_lists.empty() || snapshot.category_ids.empty())
    return snapshot.category_lists;
  std::map<std::int64_t, Names> names;
  for (const auto& [name, id] : snapshot.category_ids) names[id].push_back(name);
  ById list;
  for (const auto& [id, of_it] : names) {
    if (of_it.size() == 1) list.emplace(id, of_it.front());
  }
  return {{"", std::move(list)}};
}

bool has_name(const ById& list, const std::string& name) {
  return std::ranges::any_of(list, [&](const auto& entry) { return entry.second == name; });
}

// inputs.classes as the ids of the list `now` were called by the list `before`; none when each
// class is where it was.
std::optional<Names> names_by_old_ids(const Names& classes, const ById& now, const ById& before,
                                      const BuildOptions& options) {
  bool moved = false;
  Names names = classes;
  for (const auto& [id, called] : now) {
    const auto old = before.find(id);
    if (old == before.end()) continue;
    const std::string& name = renamed(old->second, options);
    moved = moved || (called != name && (has_name(now, name) || has_name(before, called)));
    const auto place = std::ranges::find(classes, called);
    if (place != classes.end())
      names[static_cast<std::size_t>(place - classes.begin())] = old->second;
  }
  return moved ? std::optional(std::move(names)) : std::nullopt;
}

// Whether the label file has the list that it had: as the options of that build call its names,
// which renames and merged classes may call otherwise now.
bool is_as_it_was(const ById& written, const ById& before, const BuildOptions& earlier) {
  const AlikeBy by = AlikeBy::of(earlier.merge_classes_by);
  return std::ranges::all_of(before, [&](const auto& entry) {
    const auto now = written.find(entry.first);
    return now == written.end() ||
           alike_form(renamed(now->second, earlier), by) == alike_form(entry.second, by);
  });
}

struct OldOrders {
  std::vector<Names> names{};  ///< inputs.classes by each list of another order
  bool has_kept_one = false;   ///< a list with several names of this one, or all, has its order
};

// Of this build, and of the last one.
struct BothOptions {
  const BuildOptions& now;
  BuildOptions earlier;
};

// The same by each list that may be an older one of this label file: its own of the last build;
// where the file is new, as each export of a tool is, any.
OldOrders old_orders_of(const Inputs& inputs, const std::string& labels, const ListsById& lists,
                        const ListsById& old_lists, const BothOptions& options) {
  OldOrders old;
  const auto now = lists.find(labels);
  if (now == lists.end()) return old;
  const bool is_known = old_lists.contains(labels);
  for (const auto& [file, before] : old_lists) {
    if (is_known && file != labels) continue;
    std::optional<Names> names;
    if (!is_as_it_was(inputs.written_lists.at(labels), before, options.earlier))
      names = names_by_old_ids(inputs.classes, now->second, before, options.now);
    if (!names) {
      const auto shared = std::ranges::count_if(
          now->second, [&](const auto& entry) { return has_name(before, entry.second); });
      old.has_kept_one = old.has_kept_one || shared > 1 || shared == std::ssize(now->second);
    } else if (std::ranges::find(old.names, *names) == old.names.end()) {
      old.names.push_back(*std::move(names));
    }
  }
  return old;
}

// How people are told of a list that has changed.
struct Wording {
  const char *changed, *fix;
};

Wording wording_of(const Inputs& inputs, const std::string& labels) {
  if (inputs.category_lists.contains(labels))
    return {"its category ids have other names than in the last build",
            "give each id its old name again; if the old names were wrong, pass --new-class-order"};
  return {"its class list has another order than in the last build",
          "restore the order and add new names at the end; if the old order was wrong, pass "
          "--new-class-order"};
}

// By label file. Each export of COCO may number its categories anew and names them, so only where
// no picture tells is nothing said of it.
std::vector<OldOrders> old_orders(const Inputs& inputs, const Snapshot& snapshot,
                                  const BuildOptions& now) {
  const BothOptions options{now, build_options_from_json(snapshot.configuration_json)};
  const ListsById lists = by_place(inputs.class_lists), old_lists = by_place(snapshot.class_lists);
  const ListsById old_categories = category_lists_of(snapshot);
  std::vector<OldOrders> old;
  for (const std::string& labels : inputs.label_files) {
    const bool has_categories = inputs.category_lists.contains(labels);
    old.push_back(has_categories ? old_orders_of(inputs, labels, inputs.category_lists,
                                                 old_categories, options)
                                 : old_orders_of(inputs, labels, lists, old_lists, options));
    if (has_categories && !old_categories.contains(labels)) old.back().has_kept_one = true;
  }
  return old;
}

// Pictures that were built before show whether labels follow the new order. Without such pictures
// nobody can tell.
void note_unproven_orders(const Inputs& inputs, const std::vector<OldOrders>& old,
                          const std::vector<bool>& proven, BuildListener& listener) {
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].names.empty() || old[i].has_kept_one || proven[i]) continue;
    const std::string& labels = inputs.label_files[i];
    listener.note(labels + ": " + wording_of(inputs, labels).changed +
                  ", and no picture of that build shows whether its labels follow it: ids are read "
                  "by the new list; look at `preview`");
  }
}

[[noreturn]] void refuse_order(const Inputs& inputs, const Candidate& candidate) {
  const std::string& labels = inputs.label_files.at(candidate.label_file);
  const auto [changed, fix] = wording_of(inputs, labels);
  throw Error({.where = labels,
               .what = std::string(changed) + " and its labels have the old ids, so " +
                       picture_path(candidate.item) +
                       " and others would change their class; nothing was published",
               .fix = fix},
              Exit::data);
}

// By bytes; where these are new, by path: a picture that was saved again, or another one.
class StoredPictures {
 public:
  explicit StoredPictures(const std::vector<LedgerEntry>& ledger) {
    for (const LedgerEntry& entry : ledger) {
      if (entry.state != InputState::stored) continue;
      by_bytes_.emplace(entry.picture_hash, &entry);
      by_path_.emplace(entry.path, &entry);
    }
  }
  const LedgerEntry* find(const Candidate& candidate) const {
    const auto bytes = by_bytes_.find(candidate.picture_hash);
    if (bytes != by_bytes_.end()) return bytes->second;
    const auto path = by_path_.find(picture_path(candidate.item));
    return path == by_path_.end() ? nullptr : path->second;
  }

 private:
  std::unordered_map<Hash128, const LedgerEntry*> by_bytes_{};
  std::unordered_map<std::string_view, const LedgerEntry*> by_path_{};
};

// What the pictures of a label file show whose bytes or labels are not as they were: a box that was
// corrected looks as one of the other order does, so that one picture proves nothing.
class ChangedPictures {
 public:
  void add(const Candidate& candidate, const LedgerEntry& entry, bool fits_old, bool fits_new) {
    if (fits_old == fits_new) {
      if (edited_.size() < kLookedAt) edited_.push_back({&candidate, &entry});
    } else {
      vote(candidate, fits_old);
    }
  }

  // Whether they show that labels follow the new order. Throws where they show the old one.
  bool follow_new_order(const Inputs& inputs, const std::vector<Names>& old_orders,
                        KeptClasses& kept) {
    for (const auto& [candidate, entry] : edited_) {
      KeptClasses::Counts counts;
      for (const Names& names : old_orders) {
        const KeptClasses::Counts more = kept.count(*candidate, *entry, names, inputs.classes);
        counts.by_old += more.by_old, counts.by_new += more.by_new;
      }
      if ((counts.by_old > 0) != (counts.by_new > 0)) vote(*candidate, counts.by_old > 0);
    }
    if (old_ > 1 && new_ == 0) refuse_order(inputs, *first_old_);
    return new_ > 1 && old_ == 0;
  }

 private:
  static constexpr std::size_t kLookedAt = 200;

  void vote(const Candidate& candidate, bool is_old) {
    ++(is_old ? old_ : new_);
    if (is_old && !first_old_) first_old_ = &candidate;
  }

  std::vector<std::pair<const Candidate*, const LedgerEntry*>> edited_{};
  const Candidate* first_old_ = nullptr;
  int old_ = 0, new_ = 0;  // pictures
};

}  // namespace

void check_class_order(const Inputs& inputs, const Previous& previous, const BuildOptions& options,
                       BuildListener& listener) {
  if (options.new_class_order) return;
  const std::vector<OldOrders> old = old_orders(inputs, previous.snapshot, options);
  if (std::ranges::all_of(old, [](const OldOrders& orders) { return orders.names.empty(); }))
    return;
  std::vector<bool> proven(old.size());
  const StoredPictures stored(previous.ledger);
  std::vector<ChangedPictures> changed(old.size());
  for (const Candidate& candidate : inputs.candidates) {
    const LedgerEntry* const entry = candidate.stored() ? stored.find(candidate) : nullptr;
    if (!entry) continue;
    const Hash128& before = entry->labels_hash;
    const auto has_old_ids = [&](const Names& names) {
      return hash_labels(candidate.boxes, candidate.item.label, names) == before ||
             hash_labels(without_outlines(candidate.boxes), candidate.item.label, names) == before;
    };
    const bool fits_old = std::ranges::any_of(old.at(candidate.label_file).names, has_old_ids);
    // A picture without objects, or of a class that has kept its place, fits both.
    const bool fits_new = candidate.labels_hash == before;
    if (entry->picture_hash != candidate.picture_hash || (!fits_old && !fits_new)) {
      changed.at(candidate.label_file).add(candidate, *entry, fits_old, fits_new);
      continue;
    }
    if (fits_new && !fits_old) proven.at(candidate.label_file) = true;
    if (!fits_new && fits_old) refuse_order(inputs, candidate);
  }
  KeptClasses kept(options.store, previous);
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (!proven[i] && !old[i].names.empty())
      proven[i] = changed[i].follow_new_order(inputs, old[i].names, kept);
  }
  note_unproven_orders(inputs, old, proven, listener);
}

}  // namespace letterpress
