// --snapshot follow: a run that takes up newer pictures between two epochs.
#include <algorithm>

#include "letterpress/base/error.h"
#include "trainer/fit/opening/known_pictures.h"
#include "trainer/fit/opening/open_store.h"
#include "trainer/fit/trainer_state.h"
#include "trainer/loader/batch_sequence.h"

namespace letterpress {

// All ranks take up the same one: a build elsewhere may publish between their looks.
bool Trainer::State::follow() {
  if (options_.snapshot != kFollow || done_.epochs_done >= plan_.epochs) return false;
  std::int64_t newest = is_first() ? store_.latest().value().generation : 0;
  if (options_.group) newest = std::stoll(options_.group->broadcast(std::to_string(newest)));
  const Snapshot& read = reader_.snapshot();
  if (newest <= std::max(read.generation, left_alone_)) return false;
  Snapshot next = store_.snapshot(newest);
  const std::optional<std::string> reason = reason_not_to_follow(read, next, options_);
  if (!reason) {
    take_up(SnapshotReader(store_, std::move(next)));
    return true;
  }
  left_alone_ = newest;
  note("snapshot " + std::to_string(newest) + " is not taken up: " + *reason);
  return false;
}

void Trainer::State::take_up(SnapshotReader next) {
  const RankGroup::ScopedActivity busy(options_.group, RankActivity::long_task);
  const std::int64_t before = reader_.snapshot().generation;
  if (options_.init.empty()) done_.known = before;
  done_.first_step = done_.step;
  done_.first_epoch = done_.epochs_done;
  // Figures of other pictures are no measure for these.
  done_.best = done_.stopping = done_.plateau.best = {};
  // They read what is about to go.
  feed_.reset();
  loader_.reset();
  log_.reset();
  reader_ = std::move(next);
  train_ = pictures_of(reader_, options_.split, "split");
  val_ = val_pictures_of(reader_, options_.val_split);
  pin_snapshots();
  note("snapshot " + std::to_string(reader_.snapshot().generation) + " is taken up after epoch " +
       std::to_string(done_.epochs_done) + ", in place of " + std::to_string(before) + ": " +
       std::to_string(train_.size()) + " pictures in " + options_.split + ", " +
       std::to_string(val_.size()) + " to measure on; figures from here on are of these");
  plan_epochs();
  open_pictures();
}

// What an epoch has, and how long the run is.
void Trainer::State::plan_epochs() {
  replayed_ = 0;
  if (options_.replay < 1 && done_.known > 0) {
    replayed_ = put_known_last(train_, store_, reader_, done_.known);
    note("--replay: " + std::to_string(static_cast<std::int64_t>(train_.size()) - replayed_) +
         " pictures are new, of " + std::to_string(replayed_) + " known from snapshot " +
         std::to_string(done_.known) + " an epoch has " +
         std::to_string(
             samples_of_epoch(replayed_, {.replayed = replayed_, .replay = options_.replay})));
  }
  const auto pictures = static_cast<std::int64_t>(train_.size());
  plan_ = {
      .samples = samples_of_epoch(pictures, {.replayed = replayed_, .replay = options_.replay}),
      .batch = options_.batch,
      .epochs = options_.epochs,
      .first_step = done_.first_step,
      .first_epoch = done_.first_epoch};
  schedule_ = run_schedule(options_, plan_.steps_per_epoch(), plan_.schedule_steps());
}

}  // namespace letterpress
