#include "preprocess/plan/draw_val.h"

#include <cmath>
#include <functional>
#include <string_view>
#include <unordered_set>

#include "preprocess/inputs/same_scenes.h"
#include "preprocess/inputs/splits.h"
#include "preprocess/options/split_key.h"
#include "preprocess/plan/compare_previous.h"

namespace letterpress {
namespace {

void note_torn(const TornGroups& torn, BuildListener& listener) {
  if (torn.n == 0) return;
  std::string what =
      std::to_string(torn.n) + " groups of --group are in train and in val, such as " + "that of " +
      torn.example + ": they came together after they were divided, and no picture moves";
  if (torn.new_pictures > 0)
    what += "; " + std::to_string(torn.new_pictures) + " new pictures of these go to val";
  listener.note(what + "; scores on val are too good by these, another --val share divides anew");
}

// Of other bytes each.
template <typename Is>
std::int64_t count_pictures(const Inputs& inputs, Is is) {
  std::unordered_set<Hash128> pictures;
  for (const Candidate& candidate : inputs.candidates) {
    if (!candidate.reject && is(candidate.split)) pictures.insert(candidate.picture_hash);
  }
  return static_cast<std::int64_t>(pictures.size());
}

// Groups are kept whole, so that few large ones may be far from the share.
void note_much_more(std::int64_t train, std::int64_t taken, double share, BuildListener& listener) {
  const auto wanted = std::llround(share * static_cast<double>(train));
  if (taken <= 2 * wanted + 1) return;
  listener.note(
      "val gets " + std::to_string(taken) + " of " + std::to_string(train) +
      " pictures where the share asks for " + std::to_string(wanted) +
      ": pictures of one scene or group stay together; add pictures of others, or state val by a "
      "label file");
}

}  // namespace

std::int64_t draw_val(const PlanTask& task, double share, Inputs& inputs,
                      std::optional<LookCache>& looks, BuildListener& listener) {
  const BuildOptions& options = task.options;
  const auto is_train = [](std::string_view split) { return split == "train"; };
  const std::int64_t stated = count_pictures(inputs, std::not_fn(is_train));
  if (share > 0) check_group(inputs, options.group, listener);
  const EarlierSplits earlier =
      task.previous ? earlier_splits(*task.previous, options) : EarlierSplits{};
  SeenScenes seen;
  if (needs_scenes(inputs, options, earlier)) {
    const LookCache known = LookCache::load(options.store / "cache" / "looks");
    seen = find_scenes(inputs, options, known, listener, task.stop);
    if (task.stop) return stated;
    note_scenes(seen.counts, seen.looks.size(), listener);
    if (seen.looks != known) looks = std::move(seen.looks);
  }
  // With the same share as before pictures stay where they are, and nothing is said of it.
  const std::int64_t train = earlier.same_share ? 0 : count_pictures(inputs, is_train);
  note_torn(assign_val_share(inputs, share, options.group, earlier, seen.key_of), listener);
  if (!earlier.same_share)
    note_much_more(train, train - count_pictures(inputs, is_train), share, listener);
  return stated;
}

void note_stated(std::int64_t stated_elsewhere, BuildListener& listener) {
  if (stated_elsewhere == 0) return;
  listener.note(std::to_string(stated_elsewhere) +
                " pictures of other splits are where their files state it; whether they show what "
                "train shows was not looked at (`letterpress-preprocess lint` tells)");
}

}  // namespace letterpress
