#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "letterpress/base/stop_request.h"
#include "preprocess/inputs/build_options.h"

namespace letterpress {

/// What one round of a refresh did.
struct Refreshed {
  std::int64_t generation = 0;          ///< the newest snapshot now
  std::vector<int> views{};             ///< 1..K, that were drawn anew; none: nothing was published
  std::int64_t rows = 0;                ///< of them
  double seconds = 0;                   ///< that they took
  std::vector<std::int64_t> removed{};  ///< snapshots that nobody reads any more
  std::int64_t bytes = 0;               ///< of the shards that went with them
};

/// Draws `views` of each train picture's augmented views anew, those that were drawn longest ago,
/// and publishes them; the rest is build(options), so that new pictures come in, too. Then removes
/// the older snapshots that differ in drawn views only and that no run has pinned, so that a store
/// of K views stays one. Throws Error as build() does, and (configuration) for a store without
/// augmented views.
Refreshed refresh(const BuildOptions& options, int views, const StopRequest& stop);

/// A refresh whenever a run has taken up the newest snapshot, until `stop`. Where another process
/// builds at the time, it waits. done: told of each round. Throws Error as refresh().
void refresh_for_runs(const BuildOptions& options, int views,
                      const std::function<void(const Refreshed&)>& done, const StopRequest& stop);

}  // namespace letterpress
