#include "trainer/fit/opening/run.h"

#include "trainer/fit/opening/known_pictures.h"
#include "trainer/fit/opening/opened_split.h"
#include "trainer/fit/options/ranks_of_run.h"
#include "trainer/loader/batch_sequence.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {

RunPictures open_pictures(const Store& store, Snapshot snapshot, const FitOptions& options,
                          std::int64_t known) {
  SnapshotReader reader(store, std::move(snapshot));
  std::vector<PictureRows> train = some_pictures_of(store, reader, options.split);
  std::vector<PictureRows> val = val_pictures_of(reader, options.val_split);
  const std::int64_t replayed =
      options.replay < 1 && known > 0 ? put_known_last(train, store, reader, known) : 0;
  const std::size_t unlabelled = have_ground_truth(reader, val) ? 0 : val.size();
  if (unlabelled > 0) val.clear();
  RepeatedPictures repeated = repeated_pictures(reader, train, options);
  return {std::move(reader), std::move(train), std::move(val),
          unlabelled,        replayed,         std::move(repeated)};
}

std::optional<std::string> why_no_metrics(const RunPictures& pictures, const FitOptions& options) {
  if (!pictures.val.empty()) return std::nullopt;
  const std::string split =
      "split '" + (options.val_split.empty() ? kDefaultValSplit : options.val_split) + "'";
  if (pictures.unlabelled == 0) return split + " is empty: no metrics";
  return "none of the " + std::to_string(pictures.unlabelled) + " pictures of " + split +
         " has ground truth: no metrics";
}

// A plateau's drops end with that schedule: a run may go on with another one.
double Run::rate(std::int64_t steps) const {
  return (options.schedule == "plateau" ? done.plateau.reduction : 1) *
         schedule.rate(plan.schedule_step(steps));
}

namespace {

void note_repeats(const Run& run, std::int64_t samples, const Note& note) {
  const RepeatedPictures& repeated = run.pictures.repeated;
  const std::string epoch = "; an epoch has " + std::to_string(samples) + " places for " +
                            std::to_string(run.pictures.train.size()) + " pictures";
  const bool has_hard_negatives = run.options.hard_negatives > 0;
  if (!repeated.factors.empty())
    note("--sample balanced: " + repeated.rare + (has_hard_negatives ? "" : epoch));
  if (has_hard_negatives)
    note("--hard-negatives: " + std::to_string(repeated.backgrounds.size()) +
         " pictures have no boxes" + epoch);
}

}  // namespace

void plan_epochs(Run& run, const Note& note) {
  const FitOptions& options = run.options;
  const auto pictures = static_cast<std::int64_t>(run.pictures.train.size());
  const std::int64_t replayed = run.pictures.replayed;
  const TrainingOrder order{
      .replayed = replayed, .replay = options.replay, .repeats = run.repeats()};
  if (options.replay < 1 && run.done.known > 0) {
    note("--replay: " + std::to_string(pictures - replayed) + " pictures are new, of " +
         std::to_string(replayed) + " known from snapshot " + std::to_string(run.done.known) +
         " an epoch has " + std::to_string(samples_of_epoch(replayed, order)));
  }
  note_repeats(run, samples_of_epoch(pictures, order), note);
  run.plan = {.samples = samples_of_epoch(pictures, order),
              .batch = options.batch,
              .epochs = options.epochs,
              .first_step = run.done.first_step,
              .first_epoch = run.done.first_epoch};
  run.schedule = run_schedule(options, run.plan.steps_per_epoch(), run.plan.schedule_steps());
}

void order_pictures(Run& run) {
  if (window_of(run.options.order).block > 0) put_in_disk_order(run.pictures.train);
}

std::int64_t agreed_generation(const FitOptions& options,
                               const std::function<std::int64_t()>& chosen_by_first) {
  if (!options.group) return chosen_by_first();
  const std::string chosen = is_first_rank(options) ? std::to_string(chosen_by_first()) : "";
  return std::stoll(options.group->broadcast(chosen));
}

}  // namespace letterpress
