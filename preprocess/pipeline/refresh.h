#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/stop_request.h"
#include "preprocess/options/build_options.h"

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

/// What the last build of the store was told.
using StoredOptions = std::function<BuildOptions()>;

/// Draws `views` of each train picture's augmented views anew, those that were drawn longest ago,
/// and publishes them; the rest is the last build once more, so that new pictures come in, too. As
/// many pictures and boxes may be rejected as were then. Then removes the older snapshots that
/// differ in drawn views only and that no run has pinned, and what gc removes besides, so that a
/// store of K views stays one; not while another process builds. Throws Error as build() does, and
/// (configuration) for a store without augmented views.
Refreshed refresh(const BuildOptions& options, int views, const StopRequest& stop);

/// Told of a round, or of why there was none.
struct RefreshListener {
  std::function<void(const Refreshed&)> done;
  std::function<void(const Error&)> failed;
  std::function<void(const std::filesystem::path& plan)> waits;  ///< for its parts; once per plan
};
/// A refresh whenever a run has taken up the newest snapshot, until `stop`. Where another process
/// builds at the time, or parts may be at work on a plan, it waits; a round that fails is tried
/// again a minute later. options: asked for in each round, as others build between two. Throws
/// Error (no_input, configuration) as refresh() when it cannot begin.
void refresh_for_runs(const std::filesystem::path& store, const StoredOptions& options, int views,
                      const RefreshListener& listener, const StopRequest& stop);

}  // namespace letterpress
