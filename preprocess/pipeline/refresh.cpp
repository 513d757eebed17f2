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
#include "preprocess/plan/plan_folder.h"
#include "preprocess/upkeep/garbage.h"

namespace letterpress {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{200};
constexpr std::chrono::seconds kBetweenTries{60};

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

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// Those that were rejected then are so still, whichever gate let them pass.
void allow_known_rejects(const Accounting& sums, BuildOptions& options) {
  constexpr double kRounding = 1e-9;
  const auto allow = [](double known, double& most) { most = std::max(most, known + kRounding); };
  allow(share(sums.pictures_rejected, sums.pictures_found), options.max_rejects);
  allow(share(sums.boxes_rejected, sums.boxes_found), options.max_rejected_boxes);
  options.max_rejects = std::min(options.max_rejects, 1.0);
  options.max_rejected_boxes = std::min(options.max_rejected_boxes, 1.0);
}

// What was published stays so, whoever holds the lock by now: the next round removes then.
void remove_replaced(const Store& store, Refreshed& refreshed) {
  try {
    const GarbageReport garbage = collect_garbage(store, {.redrawn_only = true});
    refreshed.removed = garbage.snapshots;
    refreshed.bytes = garbage.bytes;
  } catch (const Error& error) {
    if (error.exit() != Exit::busy) throw;
  }
}

}  // namespace

Refreshed refresh(const BuildOptions& options, int views, const StopRequest& stop) {
  const Store store = Store::open(options.store);
  const Snapshot before = refreshable(store);
  BuildOptions redrawing = options;
  redrawing.redraw_views = views;
  allow_known_rejects(before.accounting, redrawing);
  BuildListener silent;
  const Clock::time_point begin = Clock::now();
  const BuildReport report = build(redrawing, silent, stop);
  Refreshed refreshed{.generation = report.generation};
  if (!report.published) return refreshed;
  const Snapshot after = store.snapshot(report.generation);
  // Another build may have come between.
  const BuildIdentity parent =
      after.parent == before.generation ? before.identity : store.snapshot(after.parent).identity;
  refreshed.views = drawn_between(parent, after.identity, after.views);
  refreshed.rows = report.rows_new;
  refreshed.seconds = seconds_since(begin);
  remove_replaced(store, refreshed);
  return refreshed;
}

void refresh_for_runs(const std::filesystem::path& folder, const StoredOptions& options, int views,
                      const RefreshListener& listener, const StopRequest& stop) {
  const Store store = Store::open(folder);
  refreshable(store);
  store.check_can_write();  // nor could a training pin there what this waits for
  Clock::time_point next = Clock::now();
  std::optional<std::filesystem::path> waited_for;
  for (; !stop; std::this_thread::sleep_for(kBetweenLooks)) {
    if (Clock::now() < next) continue;
    try {
      if (!is_read(store, store.generations().back())) continue;
      const auto plan = plan_for_parts(store, refreshable(store).generation);
      if (plan && plan != waited_for) listener.waits(*plan);
      waited_for = plan;
      if (plan) continue;
      const Refreshed round = refresh(options(), views, stop);
      if (!round.views.empty()) listener.done(round);
    } catch (const Error& error) {
      next = Clock::now() + kBetweenTries;
      if (error.exit() != Exit::busy) listener.failed(error);
    }
  }
}

}  // namespace letterpress
