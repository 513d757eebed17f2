#include "preprocess/plan/rename_classes.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "preprocess/options/alike_names.h"

namespace letterpress {
namespace {

template <class Value>
bool holds(const std::vector<Value>& list, const Value& value) {
  return std::ranges::find(list, value) != list.end();
}

// What --merge-classes-by makes one name.
class Alike {
 public:
  explicit Alike(const BuildOptions& options) : by_(AlikeBy::of(options.merge_classes_by)) {}
  bool same(const std::string& a, const std::string& b) const {
    return alike_form(a, by_) == alike_form(b, by_);
  }
  bool holds(const auto& names, const std::string& wanted) const {
    return std::ranges::any_of(names, [&](const std::string& name) { return same(name, wanted); });
  }

 private:
  AlikeBy by_;
};

BuildOptions earlier_options(const Previous& previous) {
  return build_options_from_json(previous.snapshot.configuration_json);
}

template <class Value>
void rename_key(std::map<std::string, Value>& map, const ClassRename& rename) {
  const auto old = map.find(rename.from);
  if (old == map.end()) return;
  map[rename.to] += old->second;
  map.erase(old);
}

// Its boxes went to another class of the store in an earlier build, and that one is called `now`
// from now on: that one's id stays.
bool has_given_way(const std::string& name, const std::string& now, const Previous& previous,
                   const BuildOptions& earlier, const BuildOptions& options) {
  const std::string& then = renamed(name, earlier);
  return then != name && Alike(options).holds(previous.old_classes, then) &&
         renamed(then, options) == now;
}

}  // namespace

void rename_stored(Previous& previous, const BuildOptions& options) {
  Snapshot& snapshot = previous.snapshot;
  const BuildOptions earlier = earlier_options(previous);
  const Alike alike(options);
  for (std::string& name : snapshot.classes) {
    const std::string now = renamed(name, options);
    const auto is_now = [&](const std::string& other) {
      return &other != &name && alike.same(other, now);
    };
    if (now == name || std::ranges::any_of(snapshot.classes, is_now) ||
        has_given_way(name, now, previous, earlier, options))
      continue;
    const auto id = snapshot.category_ids.find(name);
    if (id != snapshot.category_ids.end()) {
      snapshot.category_ids.emplace(now, id->second);
      snapshot.category_ids.erase(name);
    }
    name = now;
  }
}

void check_renames(const BuildOptions& options, const std::vector<std::string>& classes) {
  const Alike alike(options);
  for (const ClassRename& rename : options.renames) {
    if (alike.holds(classes, rename.to)) continue;
    throw Error({.where = "--rename-class " + rename.from + "=" + rename.to,
                 .what = unknown_name("class", rename.from, classes)},
                Exit::usage);
  }
}

void note_idle_renames(const BuildOptions& options, const Inputs& inputs,
                       const std::optional<Previous>& previous, BuildListener& listener) {
  const Alike alike(options);
  std::vector<ClassRename> told;
  if (previous) told = earlier_options(*previous).renames;
  for (const ClassRename& rename : options.renames) {
    const bool was_stored = previous && alike.holds(previous->old_classes, rename.from);
    if (was_stored || holds(told, rename) || alike.holds(inputs.renamed_classes, rename.from))
      continue;
    listener.note("--rename-class " + rename.from + "=" + rename.to +
                  ": nothing to rename, neither the label files nor the store have it: " +
                  unknown_name("class", rename.from, inputs.classes));
  }
}

void note_united_classes(const Inputs& inputs, const Previous& previous, BuildListener& listener) {
  const std::vector<ClassRename> earlier = earlier_options(previous).renames;
  for (const auto& [from, to] : inputs.united_classes) {
    if (!holds(earlier, ClassRename{from, to})) continue;
    const std::string words = "--rename-class " + from + "=";
    listener.note("a label file has both '" + from + "' and '" + to + "', which " + words + to +
                  " of an earlier build makes one class; if '" + from +
                  "' is one of its own, pass " + words + from);
  }
}

void keep_renamed(const Inputs& inputs, Previous& previous) {
  // The store's classes come first in the inputs', at the same places.
  const std::vector<std::string>& before = previous.old_classes;
  if (std::equal(before.begin(), before.end(), inputs.classes.begin())) return;
  std::vector<std::string> old_names = inputs.classes;
  std::ranges::copy(before, old_names.begin());
  std::unordered_map<Hash128, const Candidate*> by_picture;
  for (const Candidate& candidate : inputs.candidates) {
    if (candidate.stored()) by_picture.emplace(candidate.picture_hash, &candidate);
  }
  for (LedgerEntry& entry : previous.ledger) {
    const auto now = by_picture.find(entry.picture_hash);
    if (now == by_picture.end() || entry.state != InputState::stored) continue;
    const Candidate& candidate = *now->second;
    if (hash_labels(candidate.boxes, candidate.item.label, old_names) == entry.labels_hash)
      entry.labels_hash = candidate.labels_hash;
  }
}

void rename_statistics(Statistics& statistics, const std::vector<ClassRename>& renames) {
  for (const ClassRename& rename : renames) {
    rename_key(statistics.boxes_per_class, rename);
    rename_key(statistics.pictures_per_class, rename);
  }
}

}  // namespace letterpress
