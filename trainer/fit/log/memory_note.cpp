#include "trainer/fit/log/memory_note.h"

#include "letterpress/base/bytes_text.h"
#include "trainer/device/peak_memory.h"

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

std::optional<std::string> MemoryNote::after(const Step& step) {
  if (side_ > 0 && (side_ == step.largest_side || step.side < step.largest_side))
    return std::nullopt;
  side_ = step.side;
  std::string text = "memory: " + memory_text(device_) + " at most, after a step";
  if (step.has_many_sides) text += " of side " + std::to_string(step.side);
  if (step.side < step.largest_side)
    text += "; those of side " + std::to_string(step.largest_side) + " will take more";
  return text;
}

}  // namespace letterpress
