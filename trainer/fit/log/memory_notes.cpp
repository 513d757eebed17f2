// What a step takes of the memory, told before much time has gone into the run.
#include <utility>

#include "letterpress/commandline/progress.h"
#include "trainer/device/peak_memory.h"
#include "trainer/fit/trainer_state.h"

namespace letterpress {
namespace {

// "5.1 GiB of 79.2 GiB on cuda:0", "512 MiB resident".
std::string memory_text(torch::Device device) {
  const auto text = [](std::int64_t bytes) { return bytes_text(static_cast<double>(bytes)); };
  const std::string peak = text(peak_memory(device));
  return device.is_cpu() ? peak + " resident"
                         : peak + " of " + text(device_memory(device)) + " on " + device.str();
}

}  // namespace

// The first step makes all that lives as long as the run. With --multi-scale the first step of the
// largest side is told of, too, and with
// --cuda-graph the first replay, whose intermediate results keep their memory.
void Trainer::State::note_memory() {
  const bool replayed_before = std::exchange(replays_, model_->step().replays());
  if (replays_ && !replayed_before) {
    note("steps replay a CUDA graph from step " + std::to_string(done_.step + 1) + " on");
    memory_side_ = 0;
  }
  const int side = side_of_next_step(), largest = sides_ ? sides_->high : side;
  if (memory_side_ > 0 && (memory_side_ == largest || side < largest)) return;
  memory_side_ = side;
  std::string text = "memory: " + memory_text(device_) + " at most, after a step";
  if (sides_) text += " of side " + std::to_string(side);
  if (side < largest) text += "; those of side " + std::to_string(largest) + " will take more";
  note(text);
}

}  // namespace letterpress
