// The checkpoints of a run, and the pin that keeps what they were trained on.
#include "letterpress/base/error.h"
#include "trainer/fit/epoch_checkpoints.h"
#include "trainer/fit/opening/model_for_store.h"
#include "trainer/fit/trainer_state.h"

namespace letterpress {

void Trainer::State::write(const std::string& name, bool for_training) {
  if (!is_first()) return;
  const RankGroup::ScopedActivity busy(options_.group, RankActivity::long_task);
  const Snapshot& snapshot = reader_.snapshot();
  done_.elapsed_s = elapsed_s();
  done_.skipped_steps = skipped_steps();
  Checkpoint checkpoint{.info = {.graph = model_->network().graph(),
                                 .letterbox = letterbox_rule_of(snapshot),
                                 .stored_side = snapshot.identity.side,
                                 .classes = snapshot.classes,
                                 .snapshot_generation = snapshot.generation,
                                 .snapshot_digest = snapshot.logical_digest.hex(),
                                 .position = plan_.position(done_.step),
                                 .step = done_.step,
                                 .epochs_done = done_.epochs_done,
                                 .configuration_json = configuration(),
                                 .state_json = to_json(done_)},
                        .tensors = model_->tensors(for_training)};
  if (metrics_ && metrics_->top1) {
    checkpoint.info.metrics = {{"top1", *metrics_->top1}};
  } else if (metrics_) {
    checkpoint.info.metrics = {{"map50", metrics_->map50},
                               {"map", metrics_->map},
                               {"precision", metrics_->precision},
                               {"recall", metrics_->recall}};
  }
  try {
    write_checkpoint(options_.out / name, checkpoint);
  } catch (const Error& error) {
    const std::string from = checkpointed_step_ > 0
                                 ? "from step " + std::to_string(checkpointed_step_)
                                 : "from the start";
    throw Error(std::string(error.what()) + "; once that is mended, --resume goes on " + from,
                error.exit());
  }
}

void Trainer::State::write_last() {
  write("last.safetensors", true);
  checkpointed_ = Clock::now();
  checkpointed_step_ = done_.step;
}

// A store that became read-only is no reason to stop: the lease holds for days.
void Trainer::State::renew_pin() {
  try {
    for (auto& [generation, pin] : pins_) pin.renew();
  } catch (const Error& error) {
    note(std::string("a pin of a snapshot could not be renewed: ") + error.what());
  }
}

void Trainer::State::write_epoch() {
  write(epoch_checkpoint_name(done_.epochs_done), false);
  if (is_first()) remove_old_epoch_checkpoints(options_.out, options_.keep);
}

}  // namespace letterpress
