#include "trainer/fit/opening/known_pictures.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "letterpress/base/error.h"
#include "letterpress/shards/redrawn.h"
#include "trainer/checkpoint/checkpoint.h"
#include "trainer/checkpoint/find_checkpoint.h"
#include "trainer/fit/opening/opened_split.h"
#include "trainer/fit/opening/run_state.h"

namespace letterpress {
namespace {

using LabelsOfPicture = std::unordered_map<Hash128, Hash128>;

LabelsOfPicture labels_of(const Store& store, std::int64_t generation) {
  LabelsOfPicture labels;
  for (const LedgerEntry& entry : store.ledger(generation)) {
    if (entry.state == InputState::stored) labels.emplace(entry.picture_hash, entry.labels_hash);
  }
  return labels;
}

// All of its epochs are done, or it stopped early; what diverged is not a trained run.
bool has_ended(const CheckpointInfo& run) {
  const nlohmann::json flags = flags_from_json(run.configuration_json);
  if (flags.is_null()) return false;
  const int patience = flags.value("patience", 0);
  const RunState state = run_state_from_json(run.state_json);
  if (has_diverged(state)) return false;
  return run.epochs_done >= flags.value("epochs", 0) ||
         (patience > 0 && state.stopping.stalled >= patience);
}

std::optional<CheckpointInfo> last_of(const std::filesystem::path& run_folder) {
  const std::filesystem::path last = run_folder / "last.safetensors";
  if (!std::filesystem::exists(last)) return std::nullopt;
  return read_checkpoint(last, true).info;
}

// Of what the run was trained on, and nothing else: `refresh` drew them. No where that is not there
// any more.
bool has_other_views(const Store& store, const CheckpointInfo& run, const Snapshot& newest) {
  if (std::ranges::count(store.generations(), run.snapshot_generation) == 0) return false;
  const Snapshot before = store.snapshot(run.snapshot_generation);
  return before.logical_digest.hex() == run.snapshot_digest && is_redrawn(store, before, newest);
}

bool has_pictures(const Snapshot& snapshot, const std::string& split) {
  return std::any_of(
      snapshot.shards.begin(), snapshot.shards.end(), [&](const SnapshotShard& shard) {
        return shard.split == split && shard.rows > static_cast<std::int64_t>(shard.dead.size());
      });
}

}  // namespace

std::int64_t put_known_last(std::vector<PictureRows>& pictures, const Store& store,
                            const SnapshotReader& reader, std::int64_t known) {
  const LabelsOfPicture before = labels_of(store, known),
                        now = labels_of(store, reader.snapshot().generation);
  const auto is_new = [&](const PictureRows& picture) {
    const Hash128 hash = reader.shard(picture.clean.shard).source_hash(picture.clean.row);
    const auto then = before.find(hash), today = now.find(hash);
    return then == before.end() || today == now.end() || then->second != today->second;
  };
  const auto first_known = std::stable_partition(pictures.begin(), pictures.end(), is_new);
  return first_known == pictures.begin() ? 0 : pictures.end() - first_known;
}

std::int64_t snapshot_of_init(const FitOptions& options, const Store& store) {
  const std::filesystem::path file = find_checkpoint(options.init, "init");
  const CheckpointInfo run = read_checkpoint(file, true).info;
  const std::string trained_on =
      file.string() + " was trained on snapshot " + std::to_string(run.snapshot_generation);
  const auto refuse = [&](const std::string& why) {
    throw Error({.where = "--replay", .what = trained_on + why, .fix = "leave --replay out"},
                Exit::configuration);
  };
  try {
    if (store.snapshot(run.snapshot_generation).logical_digest.hex() != run.snapshot_digest)
      refuse(" of another store than " + store.folder().string());
  } catch (const Error& error) {
    if (error.exit() == Exit::configuration) throw;
    refuse(std::string(", which is not there any more: ") + error.what());
  }
  return run.snapshot_generation;
}

std::optional<std::string> trained_already(const FitOptions& options) {
  validate(options);
  const Store store = Store::open(options.store);
  const Snapshot newest = choose_snapshot(store, "latest");
  const auto trained = [&](const std::filesystem::path& run) {
    return "snapshot " + std::to_string(newest.generation) + " of " + options.store.string() +
           " was trained on already, by " + run.string();
  };
  const auto was_on_newest = [&](const CheckpointInfo& run) {
    return run.snapshot_digest == newest.logical_digest.hex() ||
           has_other_views(store, run, newest);
  };
  const std::optional<CheckpointInfo> own = last_of(options.out);
  if (own && was_on_newest(*own) && has_ended(*own)) return trained(options.out);
  if (options.init.empty()) return std::nullopt;
  const std::filesystem::path file = find_checkpoint(options.init, "init");
  // The best epoch's checkpoint does not know how its run went on. Alone it counts when it is of
  // the last epoch: training once more costs time, not training at all is never noticed.
  std::optional<CheckpointInfo> last = last_of(file.parent_path());
  if (!last) last = read_checkpoint(file, true).info;
  return was_on_newest(*last) && has_ended(*last) ? std::optional(trained(options.init))
                                                  : std::nullopt;
}

std::optional<std::string> reason_not_to_follow(const Snapshot& read, const Snapshot& next,
                                                const FitOptions& options) {
  const BuildIdentity &now = read.identity, &then = next.identity;
  if (now.side != then.side)
    return "its pictures have side " + std::to_string(then.side) + ", not " +
           std::to_string(now.side);
  if (now.recipe_json != then.recipe_json)
    return "it is of recipe '" + then.recipe_name + "' with other parameters";
  if (read.classes != next.classes) return "it has other classes";
  for (const std::string& split : {options.split, options.val_split}) {
    if (!split.empty() && !has_pictures(next, split))
      return "split '" + split + "' has no pictures";
  }
  if (read.logical_digest == next.logical_digest) return "it holds the same";
  return std::nullopt;
}

}  // namespace letterpress
