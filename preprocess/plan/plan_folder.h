#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/base/hash.h"
#include "letterpress/base/reject.h"
#include "letterpress/shards/plan.h"
#include "letterpress/shards/store.h"
#include "preprocess/options/build_listener.h"
#include "preprocess/plan/guards.h"

namespace letterpress {

/// What reduce must know beside the plan: plans/<digest>/terms.json.
struct PlanTerms {
  Gates gates;
  std::vector<Reject> rejects;  ///< of planning: pictures and boxes
  bool for_parts = false;       ///< `plan` made it: parts may work on it without the store's lock
};

/// A plan in its folder in the store, where map and reduce find it: plans/<digest>/plan.h5.
struct StoredPlan {
  Store store;
  Plan plan;
  Hash128 digest;
  PlanTerms terms;
};

/// plans/<digest>/<index>.json, the record of a finished shard. shard: position in plan.shards.
std::filesystem::path record_path(const Store& store, const Hash128& digest, std::int32_t shard);

/// Writes the plan's folder: terms first, so that a plan always has some. What was for parts stays
/// so. Only under the store's lock.
void write_plan_folder(const Store& store, const Plan& plan, const Hash128& digest,
                       const PlanTerms& terms);

/// path: plan.h5 or its folder. Throws Error: (no_input) there is no such plan, maybe it is
/// published already; (configuration) another version of the program or of its libraries made it,
/// whose shards would have other bytes; (data) damaged, or moved out of its store.
StoredPlan open_plan(const std::filesystem::path& path);

/// The store that holds such a path, whether the plan is there or not.
std::filesystem::path store_of_plan(const std::filesystem::path& path);

/// The one plan of a store. Throws Error: (no_input) there is none, (usage) several, which are
/// listed.
std::filesystem::path only_plan(const Store& store);

/// Configuration of the youngest plan of a store, of a build that did not end; none when there is
/// no plan that can be read.
std::optional<std::string> interrupted_configuration(const Store& store);

/// The folder of a plan for a snapshot after `newest` that parts may be working on; a plan of a
/// build that was killed, or that a gate stopped, is none.
std::optional<std::filesystem::path> plan_for_parts(const Store& store, std::int64_t newest);

/// Removes the plans that nobody can publish any more, as snapshot `published` is the newest, what
/// killed processes left of others, and those that nobody has worked on for kPlanLife. Only under
/// the store's lock. What cannot be removed is a note, and so is a plan whose parts may be worked
/// on and are lost, as another plan, `done`, was published before it; where that is not known, none
/// is.
void remove_plans(const Store& store, std::int64_t published, BuildListener& listener,
                  const std::optional<Hash128>& done = std::nullopt);

/// Keeps in the plan's folder that it was cut in n parts, so that parts_missing() can name them.
void note_parts(const StoredPlan& stored, int n, const std::filesystem::path& temporary_folder);
/// Parts that make one of `shards` (by position in plan.shards): "1/4, 3/4"; "" when nobody has
/// mapped in parts.
std::string parts_missing(const Store& store, const Plan& plan, const Hash128& digest,
                          const std::vector<std::size_t>& shards);

}  // namespace letterpress
