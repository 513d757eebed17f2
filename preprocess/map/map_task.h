#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "letterpress/base/hash.h"
#include "letterpress/shards/plan.h"
#include "letterpress/shards/store.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {

/// What map works on. All of it is the caller's, outlives the call.
struct MapTask {
  const Store& store;
  const Plan& plan;
  Hash128 digest;  ///< of the plan
  const Recipe& recipe;
  std::filesystem::path temporary_folder;  ///< of the store's file system, for files in the making
};

/// plans/<digest>/<index>.json
inline std::filesystem::path record_path(const Store& store, const Hash128& plan,
                                         std::int32_t shard) {
  return store.plan_folder(plan) / (std::to_string(shard) + ".json");
}

}  // namespace letterpress
