#include "preprocess/plan/compare_previous.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "letterpress/base/error.h"
#include "letterpress/base/size_text.h"
#include "preprocess/options/split_key.h"
#include "preprocess/plan/guards.h"
#include "preprocess/plan/picture_set.h"

namespace letterpress {
namespace {

bool decode_failed(const LedgerEntry& entry) {
  return entry.state == InputState::rejected && entry.width > 0;
}

// Pictures of the last snapshot that a guard counts.
struct Lost {
  std::int64_t n = 0, of = 0;
  std::string first{};  ///< path of the first of the n

  double share() const { return static_cast<double>(n) / static_cast<double>(of); }
  bool more_than(double most) const {
    return static_cast<double>(n) > most * static_cast<double>(of);
  }
};

// Rejects of this build are the likelier reason, where there are any.
std::string why_gone(const Inputs& inputs) {
  const std::vector<Reject> rejects = all_rejects(inputs);
  if (rejects.empty()) return "is a disk not mounted?";
  return std::to_string(rejects.size()) +
         " were rejected this time, the first: " + to_string(rejects.front()) + ".";
}

// which, how: the two halves of what has happened to the lost pictures.
struct LossTexts {
  std::string which, how, why;
};

[[noreturn]] void refuse(const Lost& lost, const Previous& previous, double max_removed,
                         const LossTexts& texts) {
  throw Error(
      {.where = "",
       .what = std::to_string(lost.n) + " of the " + std::to_string(lost.of) + " " + texts.which +
               " of snapshot " + std::to_string(previous.snapshot.generation) + " " + texts.how +
               " (" + percent_text(lost.share()) + "), the first is " + lost.first +
               "; --max-removed allows " + percent_text(max_removed) + "; nothing was published",
       .fix = texts.why + " To accept this, pass --max-removed 100%"},
      Exit::data);
}

bool same_shards(const std::vector<SnapshotShard>& a, const std::vector<SnapshotShard>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const SnapshotShard& x, const SnapshotShard& y) {
                      return x.digest == y.digest && x.split == y.split && x.dead == y.dead;
                    });
}

// But for the texts for people, which name label files as the user did: from another folder they
// read differently.
bool same_inputs(const std::vector<LedgerEntry>& a, const std::vector<LedgerEntry>& b) {
  const auto without_texts = [](LedgerEntry entry) {
    entry.where.clear();
    entry.reason.clear();
    return entry;
  };
  return std::ranges::equal(a, b, [&](const LedgerEntry& x, const LedgerEntry& y) {
    return x == y || without_texts(x) == without_texts(y);
  });
}

// What classes the ids of label files mean. Older snapshots lack some of it, which alone is no
// reason for another one.
template <class Lists>
bool other_lists(const Lists& now, const Lists& then) {
  return std::ranges::any_of(then, [&](const auto& list) {
    const auto same = now.find(list.first);
    return same == now.end() || same->second != list.second;
  });
}

// Whether the flags that say which pictures are of which split are the same.
bool make_splits_alike(const BuildOptions& a, const BuildOptions& b) {
  const auto share = parse_share(a.val);
  return (a.val == b.val || (share && share == parse_share(b.val))) &&
         (!share || a.group == b.group) && a.splits == b.splits && a.inputs == b.inputs;
}

}  // namespace

void carry_rejects(Inputs& inputs, const Previous& previous) {
  std::unordered_map<Hash128, const LedgerEntry*> failed;
  for (const LedgerEntry& entry : previous.ledger) {
    if (decode_failed(entry)) failed.emplace(entry.picture_hash, &entry);
  }
  for (Candidate& candidate : inputs.candidates) {
    if (!candidate.stored()) continue;
    const auto known = failed.find(candidate.picture_hash);
    if (known == failed.end()) continue;
    candidate.reject = std::make_shared<const Reject>(
        Reject{candidate.item.where + ": " + picture_path(candidate.item), known->second->reason});
  }
}

EarlierSplits earlier_splits(const Previous& previous, const BuildOptions& options) {
  const BuildOptions told = build_options_from_json(previous.snapshot.configuration_json);
  EarlierSplits splits{.same_share = parse_share(told.val) == parse_share(options.val) &&
                                     told.group == options.group};
  splits.bytes_in_val.reserve(previous.ledger.size());
  splits.path_in_val.reserve(previous.ledger.size());
  for (const LedgerEntry& entry : previous.ledger) {
    if (entry.state == InputState::rejected) continue;
    splits.bytes_in_val.emplace(entry.picture_hash, entry.split == "val");
    splits.path_in_val.emplace(entry.path, entry.split == "val");
  }
  return splits;
}

void check_removed(const Previous& previous, const Inputs& inputs, double max_removed) {
  // A copy of a picture is one of its bytes. What it was before is gone: a placeholder in the place
  // of every picture is one picture.
  const PictureSet bytes(inputs.candidates,
                         [](const Candidate& candidate) { return !candidate.reject; });
  PictureSet stored(inputs.candidates,
                    [](const Candidate& candidate) { return candidate.stored(); });
  Lost lost{.n = 0, .of = previous.snapshot.accounting.pictures_stored};
  for (const LedgerEntry& entry : previous.ledger) {
    if (entry.state != InputState::stored || bytes.has_bytes(entry) || stored.has(entry)) continue;
    if (lost.n++ == 0) lost.first = entry.path;
  }
  if (lost.more_than(max_removed))
    refuse(lost, previous, max_removed, {"pictures", "are gone", why_gone(inputs)});
}

void check_unlabelled(const Previous& previous, const Inputs& inputs, double max_removed) {
  PictureSet background(inputs.candidates, [](const Candidate& candidate) {
    return candidate.stored() && candidate.boxes.empty();
  });
  Lost lost;
  for (const LedgerEntry& entry : previous.ledger) {
    if (entry.state != InputState::stored || entry.boxes == 0) continue;
    ++lost.of;
    if (!background.has(entry)) continue;
    if (lost.n++ == 0) lost.first = entry.path;
  }
  if (lost.more_than(max_removed)) {
    refuse(lost, previous, max_removed,
           {"labelled pictures", "have no box any more", "is the disk of the labels not mounted?"});
  }
}

PictureChanges changes_since(const Previous& previous, const std::vector<LedgerEntry>& ledger) {
  const auto is_stored = [](const LedgerEntry& entry) { return entry.state == InputState::stored; };
  PictureSet before(previous.ledger, is_stored);
  PictureChanges changes;
  for (const LedgerEntry& entry : ledger) {
    if (!is_stored(entry)) continue;
    const LedgerEntry* const known = before.find(entry);
    if (!known) continue;
    if (known->split != entry.split) ++changes.moved[{known->split, entry.split}];
    const bool same_size = known->width == entry.width && known->height == entry.height;
    if (same_size || entry.boxes == 0 || known->labels_hash != entry.labels_hash) continue;
    if (changes.resized++ == 0)
      changes.first_resized = entry.path + " was " + size_text(known->width, known->height) +
                              " and is " + size_text(entry.width, entry.height);
  }
  return changes;
}

void check_moved(const Previous& previous, const std::vector<LedgerEntry>& ledger,
                 const BuildOptions& options, const std::vector<std::string>& recognised) {
  const BuildOptions then = build_options_from_json(previous.snapshot.configuration_json);
  if (!make_splits_alike(then, build_options_from_json(to_json(options)))) return;
  std::unordered_map<Hash128, std::string> held_out;
  std::map<std::string, Lost> lost;
  for (const LedgerEntry& entry : previous.ledger) {
    if (entry.state != InputState::stored || entry.split == "train") continue;
    held_out.emplace(entry.picture_hash, entry.split);
    ++lost[entry.split].of;
  }
  for (const LedgerEntry& entry : ledger) {
    if (entry.state != InputState::stored) continue;
    const auto known = held_out.find(entry.picture_hash);
    if (known == held_out.end() || known->second == entry.split) continue;
    if (entry.split != "train" && entry.split != "val") continue;
    Lost& its = lost.at(known->second);
    if (its.n++ == 0) its.first = entry.path;
  }
  for (const auto& [split, its] : lost) {
    if (its.n < 2 || !its.more_than(options.max_moved)) continue;  // one is for people to move
    std::string remarks;
    for (const std::string& line : recognised) remarks += "\n  " + line;
    throw Error(
        {.where = "",
         .what = std::to_string(its.n) + " of the " + std::to_string(its.of) +
                 " pictures that snapshot " + std::to_string(previous.snapshot.generation) +
                 " has in " + split + " are in " + (split == "val" ? "train" : "train or val") +
                 " now, though the flags are as they were; the first is " + its.first +
                 "; --max-moved allows " + percent_text(options.max_moved) +
                 "; nothing was published",
         .fix = "have label files or lists lost what states their splits? To accept this, pass "
                "--max-moved 100%" +
                remarks},
        Exit::data);
  }
}

std::int64_t count_removed(const Previous& previous, const std::vector<LedgerEntry>& ledger) {
  std::unordered_set<Hash128> now(ledger.size());
  for (const LedgerEntry& entry : ledger) {
    if (entry.state == InputState::stored) now.insert(entry.picture_hash);
  }
  return std::count_if(
      previous.ledger.begin(), previous.ledger.end(), [&](const LedgerEntry& entry) {
        return entry.state == InputState::stored && !now.contains(entry.picture_hash);
      });
}

bool differs(const Plan& plan, const Previous& previous) {
  const Snapshot& now = plan.snapshot;
  const Snapshot& then = previous.snapshot;
  return !plan.shards.empty() || now.identity != then.identity || now.views != then.views ||
         now.classes != then.classes || now.accounting != then.accounting ||
         now.configuration_json != then.configuration_json ||
         other_lists(now.class_lists, then.class_lists) ||
         other_lists(now.category_lists, then.category_lists) ||
         !same_shards(now.shards, then.shards) || !same_inputs(plan.ledger, previous.ledger);
}

}  // namespace letterpress
