#include "trainer/fit/step_loop.h"

#include <utility>

#include "trainer/device/device.h"
#include "trainer/fit/options/ranks_of_run.h"
#include "trainer/fit/validation.h"
#include "trainer/loader/batch_sequence.h"

namespace letterpress {

RunReading::RunReading(const Run& run, RunModel& model, const Note& note)
    : feed(run, model.device()),
      losses(model.loss().term_names(), run.options.log_every, model.device(),
             run.pictures.reader) {
  note(to_string(feed.read_choice()));
  losses.order_by(
      [&](const std::vector<RowPlace>& rows) { return losses_of_rows(run, model, rows); });
}

StepLoop::StepLoop(Run& run, RunModel& model, Note note)
    : run_(run),
      model_(model),
      note_(std::move(note)),
      input_(run, model.graph().side, model.device()),
      stage_(run),
      memory_(model.device()) {
  set_norm_momentum();
}

void StepLoop::take_up() {
  input_.count_classes();
  set_norm_momentum();
}

void StepLoop::set_norm_momentum() {
  model_.network().set_least_norm_momentum(
      least_norm_momentum(run_.options, run_.plan.schedule_steps()));
}

void StepLoop::step(RunReading& reading) {
  const FitHooks& hooks = run_.options.hooks;
  // Layers that thaw take more memory for their gradients.
  if (stage_.enter(model_.network(), note_)) memory_.reset();
  if (hooks.before_step) hooks.before_step(run_.done.step + 1);
  seed_step(model_.device(), run_.options.seed, run_.done.step, first_row());
  std::vector<RowPlace> places;
  const torch::Tensor totals = update(reading.feed.batches(), places);
  note_memory();
  ++run_.done.step;
  if (hooks.fed) hooks.fed(run_.done.step, places);
  reading.losses.record(run_.done.step, totals, std::move(places));
}

std::int64_t StepLoop::first_row() const {
  const FitOptions& options = run_.options;
  return first_row_of_rank(options.batch, rank_of(options), world_size_of(options));
}

torch::Tensor StepLoop::update(DeviceFeed& feed, std::vector<RowPlace>& places) {
  const FitOptions& options = run_.options;
  std::int64_t first = first_row();
  for (int part = 0; part < options.accumulate; ++part) {
    const Batch batch = input_(*feed.next(), first);
    first += batch.images.size(0);
    places.insert(places.end(), feed.places().begin(), feed.places().end());
    model_.step().accumulate(batch, part + 1 == options.accumulate);
    if (part + 1 < options.accumulate) feed.prefetch();
  }
  torch::Tensor totals = model_.step().update(run_.rate(run_.done.step));
  feed.prefetch();
  return totals;
}

void StepLoop::note_memory() {
  const bool replayed_before = std::exchange(replays_, model_.step().replays());
  if (replays_ && !replayed_before) {
    note_("steps replay a CUDA graph from step " + std::to_string(run_.done.step + 1) + " on");
    memory_.reset();
  }
  if (const auto text = memory_.after({.side = input_.side(),
                                       .largest_side = input_.largest_side(),
                                       .has_many_sides = input_.has_many_sides()}))
    note_(*text);
}

}  // namespace letterpress
