#include "trainer/fit/checkpoint_writer.h"

#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "trainer/device/device.h"
#include "trainer/fit/epoch_checkpoints.h"
#include "trainer/fit/opening/model_for_store.h"
#include "trainer/fit/options/ranks_of_run.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {
namespace {

CheckpointInfo info_of(const Run& run, const RunModel& model) {
  const Snapshot& snapshot = run.snapshot();
  return {.graph = model.graph(),
          .letterbox = letterbox_rule_of(snapshot),
          .tiles = tile_rule_of_recipe(snapshot.identity.recipe_json),
          .stored_side = snapshot.identity.side,
          .classes = snapshot.classes,
          .snapshot_generation = snapshot.generation,
          .snapshot_digest = snapshot.logical_digest.hex(),
          .position = run.plan.position(run.done.step),
          .step = run.done.step,
          .epochs_done = run.done.epochs_done,
          .configuration_json = configuration_of(run, model),
          .metrics = named_metrics(run.metrics),
          .state_json = to_json(run.done)};
}

}  // namespace

std::string configuration_of(const Run& run, const RunModel& model) {
  nlohmann::json json = nlohmann::json::parse(to_json(run.options));
  json["used"] = {{"anchors", model.graph().anchors},
                  {"device", model.device().str()},
                  {"ranks", world_size_of(run.options)},
                  {"snapshot", run.snapshot().generation},
                  {"threads", arithmetic_threads()}};
  return json.dump();
}

void CheckpointWriter::write(const std::string& name, bool for_training) {
  if (!is_first_rank(run_.options)) return;
  const RankGroup::ScopedActivity busy(run_.options.group, RankActivity::long_task);
  run_.done.elapsed_s = session_.elapsed_s();
  try {
    write_checkpoint(run_.options.out / name,
                     {.info = info_of(run_, model_), .tensors = model_.tensors(for_training)});
  } catch (const Error& error) {
    const std::string from =
        written_step_ > 0 ? "from step " + std::to_string(written_step_) : "from the start";
    throw Error(with_fix(error.message(), "fix this, then --resume goes on " + from), error.exit());
  }
}

void CheckpointWriter::write_last() {
  write("last.safetensors", true);
  written_at_ = Clock::now();
  written_step_ = run_.done.step;
}

bool CheckpointWriter::is_due() const {
  return is_first_rank(run_.options) &&
         seconds_since(written_at_) > 60 * run_.options.checkpoint_minutes;
}

void CheckpointWriter::write_epoch(bool is_best, std::int64_t epochs_before) {
  const FitOptions& options = run_.options;
  const std::int64_t epoch = run_.done.epochs_done;
  if (is_best) write("best.safetensors", false);
  if (options.save_every <= 0 || epoch / options.save_every == epochs_before / options.save_every)
    return;
  write(epoch_checkpoint_name(epoch), false);
  if (is_first_rank(options)) remove_old_epoch_checkpoints(options.out, options.keep);
}

}  // namespace letterpress
