#include "preprocess/plan/make_plan.h"

#include <algorithm>
#include <deque>
#include <unordered_set>

#include "letterpress/base/error.h"
#include "letterpress/commandline/program.h"
#include "preprocess/inputs/examine.h"
#include "preprocess/inputs/inputs.h"
#include "preprocess/inputs/reason.h"
#include "preprocess/inputs/splits.h"
#include "preprocess/plan/guards.h"
#include "preprocess/plan/logical_digest.h"
#include "preprocess/plan/rename_classes.h"
#include "preprocess/plan/repack.h"
#include "preprocess/plan/software_version.h"

namespace letterpress {

namespace {

// ledger: of the candidates before it. The candidate's texts become the entry's.
LedgerEntry ledger_entry(const std::vector<LedgerEntry>& ledger, Candidate& candidate, int views) {
  LedgerEntry entry;
  entry.path =
      candidate.item.member.empty() ? std::move(candidate.item.path) : picture_path(candidate.item);
  entry.name = std::move(candidate.item.name);
  entry.where = std::move(candidate.item.where);
  entry.picture_hash = candidate.picture_hash;
  entry.labels_hash = candidate.labels_hash;
  entry.split = candidate.split;
  entry.image_id = candidate.item.image_id;
  entry.width = candidate.width;
  entry.height = candidate.height;
  if (candidate.reject) {
    entry.state = InputState::rejected;
    entry.reason = reason_of(*candidate.reject);
  } else if (candidate.duplicate_of >= 0) {
    const LedgerEntry& kept = ledger[static_cast<std::size_t>(candidate.duplicate_of)];
    entry.state = InputState::duplicate;
    entry.reason = "same bytes as " + kept.name + " (" + kept.where + "), which has its boxes";
  } else {
    entry.reason = std::move(candidate.boxes_out);
    entry.boxes = static_cast<std::int32_t>(candidate.boxes.size());
    entry.views = candidate.split == "train" ? views : 0;
  }
  return entry;
}

// One candidate after another becomes a ledger's entry and, where it is stored, a picture: all of
// them twice would be most of what a build has in memory.
std::deque<PlannedPicture> enter(BlockQueue<Candidate> candidates, int views,
                                 std::vector<LedgerEntry>& ledger) {
  std::deque<PlannedPicture> stored;
  ledger.reserve(candidates.size());
  for (; !candidates.empty(); candidates.pop_front()) {
    Candidate& candidate = candidates.front();
    ledger.push_back(ledger_entry(ledger, candidate, views));
    if (!candidate.stored()) continue;
    stored.push_back({.entry = static_cast<std::int32_t>(ledger.size() - 1),
                      .label = candidate.item.label,
                      .offset = candidate.item.offset,
                      .length = candidate.item.length,
                      .boxes = std::move(candidate.boxes)});
  }
  return stored;
}

// The places of `inputs` for which `chosen` holds, and whether a picture of the last snapshot is at
// one of them.
class Places {
 public:
  template <typename Chosen>
  Places(const Inputs& inputs, Chosen chosen) {
    for (const Candidate& candidate : inputs.candidates) {
      if (!chosen(candidate)) continue;
      hashes_.insert(candidate.picture_hash);
      paths_.insert(picture_path(candidate.item));
    }
  }
  bool hold(const LedgerEntry& entry) const {
    return hashes_.contains(entry.picture_hash) || paths_.contains(entry.path);
  }

 private:
  std::unordered_set<Hash128> hashes_;
  std::unordered_set<std::string> paths_;
};

// Each once: a list may be named twice, as --input and as --val.
void collect_rejects(const Inputs& inputs, std::vector<Reject>& rejects) {
  std::unordered_set<std::string> told;
  const auto tell = [&](const Reject& reject) {
    if (told.insert(to_string(reject)).second) rejects.push_back(reject);
  };
  for (const Candidate& candidate : inputs.candidates) {
    if (candidate.reject) tell(*candidate.reject);
  }
  for (const Reject& reject : inputs.box_rejects) tell(reject);
}

// Rejects of this build are the likelier reason, where there are any.
std::string why_gone(const Inputs& inputs) {
  std::vector<Reject> rejects;
  collect_rejects(inputs, rejects);
  if (rejects.empty()) return "Is a disk not mounted? ";
  return std::to_string(rejects.size()) +
         " were rejected this time, the first: " + to_string(rejects.front()) + ". ";
}

// Stored before and neither their bytes nor their path turn up again: deleted, or on a disk that is
// not there.
void check_removed(const Previous& previous, const Inputs& inputs, const BuildOptions& options) {
  const Places here(inputs, [](const Candidate& candidate) { return !candidate.reject; });
  std::int64_t gone = 0;
  std::string first;
  for (const LedgerEntry& entry : previous.ledger) {
    if (entry.state != InputState::stored || here.hold(entry)) continue;
    if (gone++ == 0) first = entry.path;
  }
  const auto stored = static_cast<double>(previous.snapshot.accounting.pictures_stored);
  if (static_cast<double>(gone) <= options.max_removed * stored) return;
  throw Error(std::to_string(gone) + " of the " +
                  std::to_string(previous.snapshot.accounting.pictures_stored) +
                  " pictures of snapshot " + std::to_string(previous.snapshot.generation) +
                  " are gone (" + percent_text(static_cast<double>(gone) / stored) +
                  "), the first is " + first + "; --max-removed allows " +
                  percent_text(options.max_removed) + "; nothing was published. " +
                  why_gone(inputs) + "If they shall go, say --max-removed 100%",
              Exit::data);
}

// Had boxes and has none now: their label files are gone, or on a disk that is not there.
void check_unlabelled(const Previous& previous, const Inputs& inputs, const BuildOptions& options) {
  const Places background(inputs, [](const Candidate& candidate) {
    return candidate.stored() && candidate.boxes.empty();
  });
  std::int64_t labelled = 0, gone = 0;
  std::string first;
  for (const LedgerEntry& entry : previous.ledger) {
    if (entry.state != InputState::stored || entry.boxes == 0) continue;
    ++labelled;
    if (!background.hold(entry)) continue;
    if (gone++ == 0) first = entry.path;
  }
  if (static_cast<double>(gone) <= options.max_removed * static_cast<double>(labelled)) return;
  throw Error(std::to_string(gone) + " of the " + std::to_string(labelled) +
                  " labelled pictures of snapshot " + std::to_string(previous.snapshot.generation) +
                  " have no box any more (" +
                  percent_text(static_cast<double>(gone) / static_cast<double>(labelled)) +
                  "), the first is " + first + "; --max-removed allows " +
                  percent_text(options.max_removed) +
                  "; nothing was published. Is the disk of the labels not mounted? If the boxes "
                  "shall go, say --max-removed 100%",
              Exit::data);
}

// --input and --val name the same list, say. A set of validation pictures alone says so itself.
void check_train_pictures(const Inputs& inputs, const BuildOptions& options,
                          const std::vector<LedgerEntry>& ledger) {
  const auto trains = [](const LedgerEntry& entry) {
    return entry.state == InputState::stored && entry.split == "train";
  };
  const auto validates = [](const LedgerEntry& entry) {
    return entry.state == InputState::stored && entry.split == "val";
  };
  if (std::ranges::any_of(ledger, trains)) return;
  const auto share = parse_share(options.val);
  if (share && *share > 0 && std::ranges::any_of(ledger, validates)) {
    throw Error("no picture to train on: --val " + options.val + " has taken all of them" +
                    (options.group.empty() ? "" : ", which --group puts in too few groups") +
                    "; nothing was published. Lower it, or name the label files of val",
                Exit::no_input);
  }
  if (inputs.moved_to_val == 0 && inputs.moved_elsewhere.empty()) return;
  throw Error(
      "no picture to train on: every picture of --input is in --val or another --split, too, and "
      "stays there; nothing was "
      "published. Name other label files with --input, or with --val",
      Exit::no_input);
}

// What a split has got, or lost, without a word of the label files. Those of val are in the
// accounting.
void note_splits(const Inputs& inputs, const BuildOptions& options, BuildListener& listener) {
  for (const auto& [split, n] : inputs.moved_elsewhere)
    listener.note(std::to_string(n) + " pictures were in two splits and stay in " + split);
  const auto share = parse_share(options.val);
  const auto validates = [](const Candidate& candidate) {
    return candidate.stored() && candidate.split == "val";
  };
  if (!share || *share == 0 || std::ranges::any_of(inputs.candidates, validates)) return;
  listener.note("--val " + options.val +
                ": no picture has fallen to val, there are too few of them" +
                (options.group.empty() ? "" : ", or of --group's groups,") +
                "; raise it, or name a label file");
}

std::int64_t count_removed(const Previous& previous, const std::vector<LedgerEntry>& ledger) {
  std::unordered_set<Hash128> now;
  for (const LedgerEntry& entry : ledger) {
    if (entry.state == InputState::stored) now.insert(entry.picture_hash);
  }
  return std::count_if(
      previous.ledger.begin(), previous.ledger.end(), [&](const LedgerEntry& entry) {
        return entry.state == InputState::stored && !now.contains(entry.picture_hash);
      });
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
  return std::ranges::equal(a, b, {}, without_texts, without_texts);
}

bool says_the_same(const Plan& plan, const Previous& previous) {
  const Snapshot& now = plan.snapshot;
  const Snapshot& then = previous.snapshot;
  return plan.shards.empty() && now.identity == then.identity && now.views == then.views &&
         now.classes == then.classes && now.accounting == then.accounting &&
         now.configuration_json == then.configuration_json &&
         same_shards(now.shards, then.shards) && same_inputs(plan.ledger, previous.ledger);
}

BuildIdentity identity_of(const BuildOptions& options, const Recipe& recipe,
                          const std::optional<Previous>& previous) {
  BuildIdentity identity{.side = options.side,
                         .recipe_name = recipe.name(),
                         .recipe_json = recipe.json(),
                         .seed = options.seed};
  if (!previous) return identity;
  if (!options.rebuild) {
    check_identity(identity, previous->snapshot.identity, options.store.string());
    identity.draw = previous->snapshot.identity.draw;
  }
  if (options.refresh_views) identity.draw = previous->snapshot.identity.draw + 1;
  return identity;
}

Inputs prepare_inputs(const BuildOptions& options, std::optional<Previous>& previous,
                      const StatCache& known, StatCache& seen, BuildListener& listener) {
  Inputs inputs =
      gather(options, previous ? previous->snapshot.classes : std::vector<std::string>{});
  check_renames(options.renames, inputs.classes);
  note_idle_renames(options, inputs, previous, listener);
  seen = examine(inputs, options, known, listener);
  if (stop_signal()) return inputs;
  check_labels(inputs);
  if (const auto share = parse_share(options.val)) assign_val_share(inputs, *share, options.group);
  merge_duplicates(inputs);
  limit_boxes(inputs, options);
  drop_unused_classes(inputs);
  for (Candidate& candidate : inputs.candidates) {
    if (!candidate.stored()) continue;
    candidate.labels_hash = hash_labels(candidate.boxes, candidate.item.label, inputs.classes);
  }
  if (previous && !options.rebuild) {
    keep_renamed(inputs, *previous);
    carry_rejects(inputs, *previous);
  }
  return inputs;
}

// Shards that are there keep the compression they have: it changes no row.
void compress_new_shards(Compression wanted, PlanResult& result, BuildListener& listener) {
  std::vector<SnapshotShard>& shards = result.plan.snapshot.shards;
  for (const PlannedShard& planned : result.plan.shards)
    shards[static_cast<std::size_t>(planned.index)].compression = wanted;
  const auto others = std::ranges::count_if(
      shards, [wanted](const SnapshotShard& shard) { return shard.compression != wanted; });
  if (others == 0 || !result.changed) return;
  listener.note(std::to_string(others) + " of " + std::to_string(shards.size()) +
                " shards stay as they are, " +
                (wanted == Compression::none ? "compressed" : "uncompressed") +
                "; --rebuild makes them anew");
}

}  // namespace

PlanResult make_plan(const BuildOptions& options, const Recipe& recipe,
                     std::optional<Previous>& previous, const StatCache& known,
                     BuildListener& listener) {
  PlanResult result;
  Snapshot& snapshot = result.plan.snapshot;
  snapshot.identity = identity_of(options, recipe, previous);
  snapshot.views = effective_views(options, recipe);
  Inputs inputs = prepare_inputs(options, previous, known, result.seen, listener);
  if (stop_signal()) return result;

  collect_rejects(inputs, result.rejects);
  snapshot.accounting = account(inputs);
  check_identities(snapshot.accounting);
  if (previous) {
    check_removed(*previous, inputs, options);
    check_unlabelled(*previous, inputs, options);
  }
  check_rejects(snapshot.accounting, result.rejects, options.max_rejects);

  snapshot.parent = previous ? previous->snapshot.generation : 0;
  snapshot.generation = snapshot.parent + 1;
  snapshot.configuration_json = to_json(options);
  snapshot.producer = producer();
  note_splits(inputs, options, listener);
  std::deque<PlannedPicture> stored =
      enter(std::move(inputs.candidates), snapshot.views, result.plan.ledger);
  check_train_pictures(inputs, options, result.plan.ledger);
  if (previous && !options.rebuild) {
    const bool same_draw = snapshot.identity.draw == previous->snapshot.identity.draw;
    keep_rows(*previous, {.clean = true, .augmented = same_draw}, result.plan);
  }
  const std::int64_t rows = rows_per_shard(options.shard_bytes, options.side);
  place_rows(std::move(stored), rows, result.plan);
  snapshot.classes = std::move(inputs.classes);
  snapshot.category_ids = std::move(inputs.category_ids);
  if (previous) {
    for (const auto& [name, id] : previous->snapshot.category_ids)
      snapshot.category_ids.insert_or_assign(name, id);
  }
  snapshot.logical_digest = logical_digest(snapshot.identity, result.plan.ledger);
  result.recognised = std::move(inputs.recognised);
  if (previous) result.pictures_removed = count_removed(*previous, result.plan.ledger);
  result.changed = !previous || !says_the_same(result.plan, *previous);
  if (result.changed) repack(rows, result.plan);
  compress_new_shards(options.compression, result, listener);
  return result;
}

}  // namespace letterpress
