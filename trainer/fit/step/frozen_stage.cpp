#include "trainer/fit/step/frozen_stage.h"

#include <utility>

namespace letterpress {

bool FrozenStage::enter(Network& network, const Note& note) {
  const std::int64_t step = run_.done.step;
  const bool frozen =
      !run_.frozen_layers.empty() && (run_.options.freeze_epochs == 0 ||
                                      run_.plan.schedule_step(step) < run_.schedule.frozen_steps);
  if (frozen_ == frozen) return false;
  network.freeze_layers(frozen ? run_.frozen_layers : std::set<std::string>{});
  const std::optional<bool> before = std::exchange(frozen_, frozen);
  if (frozen)
    note("frozen: " + std::to_string(run_.frozen_layers.size()) + " layers (--freeze " +
         run_.options.freeze + ")");
  if (before && !frozen) note("all layers train from step " + std::to_string(step) + " on");
  return true;
}

}  // namespace letterpress
