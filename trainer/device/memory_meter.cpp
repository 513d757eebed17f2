#include "trainer/device/memory_meter.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <mutex>

namespace letterpress {

/// The allocators of all devices report each piece of memory to the thread's profiler, which this
/// is.
struct MemoryMeter::Count final : c10::MemoryReportingInfoBase {
  explicit Count(torch::Device device) : type(device.type()) {}

  void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t,
                         c10::Device device) override {
    if (device.type() != type) return;
    const std::lock_guard lock(mutex);
    now += bytes;
    peak = std::max(peak, now);
  }
  bool memoryProfilingEnabled() const override { return true; }

  torch::DeviceType type;
  std::mutex mutex;
  std::int64_t now = 0, peak = 0;
};

struct MemoryMeter::Guard {
  c10::DebugInfoGuard info;
};

MemoryMeter::MemoryMeter(torch::Device device)
    : count_(std::make_shared<Count>(device)),
      guard_(new Guard{{c10::DebugInfoKind::PROFILER_STATE, count_}}) {}

MemoryMeter::~MemoryMeter() = default;

std::int64_t MemoryMeter::now() const {
  const std::lock_guard lock(count_->mutex);
  return count_->now;
}

std::int64_t MemoryMeter::peak() const {
  const std::lock_guard lock(count_->mutex);
  return count_->peak;
}

void MemoryMeter::reset_peak() {
  const std::lock_guard lock(count_->mutex);
  count_->peak = count_->now;
}

}  // namespace letterpress
