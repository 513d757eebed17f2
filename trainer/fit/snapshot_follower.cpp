#include "trainer/fit/snapshot_follower.h"

#include <algorithm>

#include "letterpress/shards/redrawn.h"
#include "trainer/fit/opening/known_pictures.h"

namespace letterpress {

std::optional<Snapshot> SnapshotFollower::newer(const Note& note) {
  const FitOptions& options = run_.options;
  if (options.snapshot != kFollow || run_.done.epochs_done >= run_.plan.epochs) return std::nullopt;
  const std::int64_t newest =
      agreed_generation(options, [this] { return run_.store.latest().value().generation; });
  const Snapshot& read = run_.snapshot();
  if (newest <= std::max(read.generation, refused_)) return std::nullopt;
  Snapshot next = run_.store.snapshot(newest);
  std::optional<std::string> reason = reason_not_to_follow(read, next, options);
  if (!reason && !run_.pictures.val.empty())
    reason = why_no_metrics(open_pictures(run_.store, next, options, run_.done.known), options);
  if (!reason) return next;
  refused_ = newest;
  note("snapshot " + std::to_string(newest) + " is not taken up: " + *reason);
  return std::nullopt;
}

bool take_up(Run& run, Snapshot next, const Note& note) {
  RunState& done = run.done;
  const FitOptions& options = run.options;
  const std::int64_t before = run.snapshot().generation;
  // The same pictures: the best epoch stays the best, and the order of the pictures goes on.
  if (is_redrawn(run.store, run.snapshot(), next)) {
    run.pictures = open_pictures(run.store, std::move(next), options, done.known);
    order_pictures(run);
    note("views of snapshot " + std::to_string(run.snapshot().generation) + " after epoch " +
         std::to_string(done.epochs_done));
    return true;
  }
  if (options.init.empty()) done.known = before;
  done.first_step = done.step;
  done.first_epoch = done.epochs_done;
  done.background_losses = {};
  forget_metrics(done);
  run.pictures = open_pictures(run.store, std::move(next), options, done.known);
  note("snapshot " + std::to_string(run.snapshot().generation) + " is taken up after epoch " +
       std::to_string(done.epochs_done) + ", in place of " + std::to_string(before) + ": " +
       std::to_string(run.pictures.train.size()) + " pictures in " + options.split + ", " +
       std::to_string(run.pictures.val.size()) +
       " to measure on; metrics from here on are of these");
  plan_epochs(run, note);
  order_pictures(run);
  return false;
}

}  // namespace letterpress
