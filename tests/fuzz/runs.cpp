// What a checkpoint keeps beside its tensors, in text: what its model is of, and how far its run
// was.
#include "letterpress/base/error.h"
#include "target.h"
#include "trainer/checkpoint/info.h"
#include "trainer/fit/opening/run_state.h"

namespace letterpress {
namespace {

void read_info(const std::filesystem::path&, std::span<const std::byte> bytes) {
  const CheckpointInfo info = info_from_json(std::string(text_of(bytes)));
  (void)tiles_of_frames(info);
  const std::string text = info_to_json(info);
  if (info_to_json(info_from_json(text)) != text)
    broken_promise("a checkpoint's description is another after its JSON");
}

void read_state(const std::filesystem::path&, std::span<const std::byte> bytes) {
  const RunState state = run_state_from_json(std::string(text_of(bytes)));
  (void)has_diverged(state);
  const std::string text = to_json(state);
  if (to_json(run_state_from_json(text)) != text)
    broken_promise("a run's state is another after its JSON");
}

}  // namespace

std::vector<FuzzTarget> runs_targets() {
  return {{"checkpoint", read_info}, {"run-state", read_state}};
}

}  // namespace letterpress
