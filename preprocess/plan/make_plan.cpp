#include "preprocess/plan/make_plan.h"

#include <malloc.h>

#include <algorithm>
#include <deque>
#include <numeric>

#include "preprocess/inputs/check_labels.h"
#include "preprocess/inputs/examine.h"
#include "preprocess/inputs/inputs.h"
#include "preprocess/inputs/label_sizes.h"
#include "preprocess/inputs/note_boxes.h"
#include "preprocess/inputs/note_partly_read.h"
#include "preprocess/inputs/splits.h"
#include "preprocess/options/split_key.h"
#include "preprocess/plan/choose_scale.h"
#include "preprocess/plan/choose_views.h"
#include "preprocess/plan/class_lists.h"
#include "preprocess/plan/compare_previous.h"
#include "preprocess/plan/draw_val.h"
#include "preprocess/plan/guards.h"
#include "preprocess/plan/logical_digest.h"
#include "preprocess/plan/rename_classes.h"
#include "preprocess/plan/repack.h"
#include "preprocess/plan/replaced_classes.h"
#include "preprocess/plan/row_places.h"
#include "preprocess/plan/software_version.h"
#include "preprocess/plan/tile_choice.h"

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
    entry.reason = ledger_reason(*candidate.reject);
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
std::deque<PlannedPicture> enter(std::deque<Candidate> candidates, int views,
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

void place(std::deque<PlannedPicture> stored, std::int64_t rows,
           const std::optional<TileChoice>& tiles, const Recipe& recipe, Plan& plan) {
  if (!tiles) return place_rows(std::move(stored), rows, plan);
  const TiledRows tiled{tiles->tiles, [&](const LedgerEntry& entry, const PlannedPicture& picture,
                                          std::int32_t tile, std::int32_t view) {
                          return count_boxes(recipe, plan.snapshot.identity, entry, picture.boxes,
                                             tile, view);
                        }};
  place_rows(std::move(stored), rows, plan, &tiled);
}

// --scale auto: what the store has already, else by the boxes.
void settle_scale(const PlanTask& task, const Inputs& inputs, BuildListener& listener) {
  const BuildOptions& options = task.options;
  if (!task.recipe.tiles() || !is_scale_chosen(options)) return;
  if (scale_of_store(task.previous, options)) return;
  const ScaleChoice choice = choose_scale(inputs);
  listener.note("--scale auto: " + choice.reason);
  TileRule rule = *task.recipe.tiles();
  rule.scale = choice.scale;
  task.recipe = std::move(task.recipe).with_tiles(rule);
}

BuildIdentity identity_of(const PlanTask& task) {
  const BuildOptions& options = task.options;
  BuildIdentity identity{.side = frame_side(options),
                         .recipe_name = task.recipe.name(),
                         .recipe_json = task.recipe.json(),
                         .seed = options.seed};
  if (!task.previous) return identity;
  const BuildIdentity& stored = task.previous->snapshot.identity;
  if (!options.rebuild) {
    check_identity(identity, stored, options.store.string());
    identity.draw = stored.draw;
    identity.redrawn = stored.redrawn;
  }
  if (options.refresh_views) {
    identity.draw = stored.draw + 1;
    identity.redrawn.clear();
  }
  return identity;
}

// Of the views 1..`views`, the `n` that were drawn longest ago, which is least often, are drawn
// once more, the first of equals first. Views that are new count as the youngest.
void redraw_views(int n, int views, BuildIdentity& identity) {
  std::vector<std::uint64_t>& times = identity.redrawn;
  if (n == 0 && times.empty()) return;
  std::vector<std::size_t> order(static_cast<std::size_t>(views));
  times.resize(std::max(times.size(), order.size()), times.empty() ? 0 : std::ranges::max(times));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t view) { return times[view]; });
  for (int i = 0; i < std::min(n, views); ++i) ++times[order[static_cast<std::size_t>(i)]];
}

// Looks at the pictures' files. Returns what is known of them now, unless all of it was. What was
// known goes, and malloc gives its pieces back: memory per picture is what limits the size of a
// set.
std::optional<StatCache> see_files(PlanTask& task, Inputs& inputs, BuildListener& listener) {
  std::optional<StatCache> seen = examine(inputs, task.options, task.known, listener, task.stop);
  if (*seen == task.known) seen.reset();
  task.known = StatCache();
  malloc_trim(0);
  return seen;
}

Inputs read_inputs(PlanTask& task, PlanResult& result, BuildListener& listener) {
  const BuildOptions& options = task.options;
  Inputs inputs =
      gather(options, task.previous ? task.previous->snapshot.classes : std::vector<std::string>{});
  check_renames(options, inputs.classes);
  note_idle_renames(options, inputs, task.previous, listener);
  result.seen = see_files(task, inputs, listener);
  if (task.stop) return inputs;
  settle_label_sizes(inputs, options.label_size);
  check_labels(inputs);
  if (const auto share = parse_share(options.val))
    result.stated_elsewhere = draw_val(task, *share, inputs, result.looks, listener);
  if (task.stop) return inputs;
  merge_duplicates(inputs, options.duplicates);
  limit_boxes(inputs, options);
  drop_unused_classes(inputs);
  for (Candidate& candidate : inputs.candidates) {
    if (!candidate.stored()) continue;
    candidate.labels_hash = hash_labels(candidate.boxes, candidate.item.label, inputs.classes);
  }
  if (task.previous) check_class_order(inputs, *task.previous, options, listener);
  if (task.previous && !options.rebuild) {
    keep_renamed(inputs, *task.previous);
    carry_rejects(inputs, *task.previous);
  }
  return inputs;
}

void check_inputs(const PlanTask& task, const Inputs& inputs, const Accounting& accounting,
                  const std::vector<Reject>& rejects) {
  check_identities(accounting);
  if (task.previous) {
    check_removed(*task.previous, inputs, task.options.max_removed);
    check_unlabelled(*task.previous, inputs, task.options.max_removed);
  }
  check_rejects(accounting, rejects, task.options.max_rejects, inputs.recognised);
  check_rejected_boxes(inputs, task.options.max_rejected_boxes);
  check_label_files(inputs, task.options.max_unlabelled);
}

// Shards in the store keep the compression they have: it changes no row.
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

void note_changes(const Previous& previous, PlanResult& result, BuildListener& listener) {
  PictureChanges changes = changes_since(previous, result.plan.ledger);
  result.moved = std::move(changes.moved);
  if (changes.resized == 0) return;
  listener.note("pictures of another size with the very boxes that they had in snapshot " +
                std::to_string(previous.snapshot.generation) + ": " +
                std::to_string(changes.resized) + ", the first, " + changes.first_resized +
                ": are their labels of the earlier pictures? Look at `preview`");
}

void settle_changes(const PlanTask& task, const Inputs& inputs, PlanResult& result,
                    BuildListener& listener) {
  note_united_classes(inputs, *task.previous, listener);
  check_moved(*task.previous, result.plan.ledger, task.options, result.recognised);
  note_changes(*task.previous, result, listener);
}

}  // namespace

PlanResult make_plan(PlanTask task, BuildListener& listener) {
  const BuildOptions& options = task.options;
  const std::optional<Previous>& previous = task.previous;
  PlanResult result;
  Snapshot& snapshot = result.plan.snapshot;
  snapshot.identity = identity_of(task);
  check_views(options, task.recipe);
  if (const std::string fault = task.recipe.fault_of_order(); !fault.empty()) listener.note(fault);
  Inputs inputs = read_inputs(task, result, listener);
  if (task.stop) return result;
  settle_scale(task, inputs, listener);
  snapshot.identity = identity_of(task);
  std::optional<TileChoice> tiles;
  if (task.recipe.tiles()) {
    tiles = choose_tiles(inputs, task.recipe, snapshot.identity.side);
    note_tiles(inputs, *tiles, task.recipe, snapshot.identity.side, listener);
  }
  snapshot.views =
      views_of_build(options, task.recipe, inputs, previous, tiles ? &*tiles : nullptr, listener);
  redraw_views(options.redraw_views, snapshot.views, snapshot.identity);

  result.rejects = all_rejects(inputs);
  snapshot.accounting = account(inputs);
  if (tiles) snapshot.accounting.tiles = tiles->accounting;
  check_inputs(task, inputs, snapshot.accounting, result.rejects);
  note_boxes(snapshot.accounting, listener);
  note_partly_read(inputs, listener);
  if (previous) note_replaced_classes(inputs, *previous, listener);
  note_splits(inputs, options, listener);
  check_train_pictures(inputs, options);

  snapshot.parent = previous ? previous->snapshot.generation : 0;
  snapshot.generation = snapshot.parent + 1;
  snapshot.configuration_json = to_json(options);
  snapshot.producer = software_version();
  std::deque<PlannedPicture> stored =
      enter(std::move(inputs.candidates), snapshot.views, result.plan.ledger);
  check_train_left(result.plan.ledger, snapshot.accounting);
  if (previous && !options.rebuild) keep_rows(*previous, result.plan);
  const std::int64_t rows = rows_per_shard(options.shard_bytes, snapshot.identity.side);
  place(std::move(stored), rows, tiles, task.recipe, result.plan);
  snapshot.classes = std::move(inputs.classes);
  snapshot.class_lists = std::move(inputs.class_lists);
  snapshot.category_lists = std::move(inputs.category_lists);
  snapshot.category_ids = std::move(inputs.category_ids);
  if (previous) {
    for (const auto& [name, id] : previous->snapshot.category_ids)
      snapshot.category_ids.insert_or_assign(name, id);
  }
  snapshot.logical_digest = logical_digest(snapshot.identity, result.plan.ledger);
  result.recognised = std::move(inputs.recognised);
  if (previous) result.pictures_removed = count_removed(*previous, result.plan.ledger);
  result.changed = !previous || differs(result.plan, *previous);
  if (previous && result.changed) settle_changes(task, inputs, result, listener);
  if (result.changed) note_stated(result.stated_elsewhere, listener);
  if (result.changed) repack(rows, result.plan);
  compress_new_shards(options.compression, result, listener);
  return result;
}

}  // namespace letterpress
