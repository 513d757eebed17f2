#include "preprocess/pipeline/refresh.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <optional>
#include <thread>

#include "letterpress/base/clock.h"
#include "letterpress/base/error.h"
#include "letterpress/shards/store.h"
#include "preprocess/pipeline/build.h"
#include "preprocess/upkeep/garbage.h"

namespace letterpress {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{200};

// Refuses what has no views to draw.
Snapshot refreshable(const Store& store) {
  std::optional<Snapshot> snapshot = store.latest();
  if (snapshot && snapshot->views > 0) return *std::move(snapshot);
  throw Error({.where = store.folder().string(),
               .what = snapshot ? "has no augmented views" : "has no snapshot yet",
               .fix = snapshot ? "`letterpress-preprocess build --store S --views 4` makes some"
                               : "`letterpress-preprocess build` makes one"},
              Exit::configuration);
}

std::vector<int> drawn_between(const BuildIdentity& before, const BuildIdentity& after, int views) {
  std::vector<int> drawn;
  for (int view = 1; view <= views; ++view) {
    if (before.draw_of(view) != after.draw_of(view)) drawn.push_back(view);
  }
  return drawn;
}

bool is_read(const Store& store, std::int64_t generation) {
  const std::int64_t now = std::time(nullptr);
  return std::ranges::any_of(Pin::list(store), [&](const Pin::Holder& holder) {
    return holder.generation == generation && holder.expires >= now;
  });
}

// Only another process's lock is waited for.
std::optional<Refreshed> refresh_unless_busy(const BuildOptions& options, int views,
                                             const StopRequest& stop) {
  try {
    return refresh(options, views, stop);
  } catch (const Error& error) {
    if (error.exit() != Exit::busy) throw;
    return std::nullopt;
  }
}

}  // namespace

Refreshed refresh(const BuildOptions& options, int views, const StopRequest& stop) {
  const Store store = Store::open(options.store);
  const Snapshot before = refreshable(store);
  BuildOptions redrawing = options;
  redrawing.redraw_views = views;
  BuildListener unheard;
  const Clock::time_point begin = Clock::now();
  const BuildReport report = build(redrawing, unheard, stop);
  Refreshed refreshed{.generation = report.generation};
  if (!report.published) return refreshed;
  const Snapshot after = store.snapshot(report.generation);
  refreshed.views = drawn_between(before.identity, after.identity, after.views);
  refreshed.rows = report.rows_new;
  refreshed.seconds = seconds_since(begin);
  const GarbageReport garbage = collect_garbage(store, {.redrawn_only = true});
  refreshed.removed = garbage.snapshots;
  refreshed.bytes = garbage.bytes;
  return refreshed;
}

void refresh_for_runs(const BuildOptions& options, int views,
                      const std::function<void(const Refreshed&)>& done, const StopRequest& stop) {
  const Store store = Store::open(options.store);
  while (!stop) {
    if (is_read(store, refreshable(store).generation)) {
      const std::optional<Refreshed> round = refresh_unless_busy(options, views, stop);
      if (round && !round->views.empty()) done(*round);
    }
    if (!stop) std::this_thread::sleep_for(kBetweenLooks);
  }
}

}  // namespace letterpress
