#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/shards/plan.h"
#include "preprocess/inputs/stat_cache.h"
#include "preprocess/pipeline/build.h"
#include "preprocess/plan/row_places.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {

/// What is to be done, and what was seen on the way.
struct PlanResult {
  Plan plan;
  StatCache seen;               ///< the pictures' files, for the next build
  std::vector<Reject> rejects;  ///< pictures and boxes
  std::vector<std::string> recognised;
  std::int64_t pictures_removed = 0;  ///< stored in the last snapshot, not in this one
  bool changed = true;                ///< false: the last snapshot says all of it already
};

/// Label files -> hashes, headers -> duplicates merged -> splits -> what the last snapshot has -> a
/// place for every other row. Reads and compares, writes nothing; entries of `previous` that a
/// renamed class alone changed follow it. Answers a half-made plan when stop_signal() is set.
/// Throws Error as build() does: label files, no picture, guards against rejects and removals,
/// another identity than the store's.
PlanResult make_plan(const BuildOptions& options, const Recipe& recipe,
                     std::optional<Previous>& previous, const StatCache& known,
                     BuildListener& listener);

}  // namespace letterpress
