#include "trainer/device/device_progress.h"

#include <utility>

namespace letterpress {

DeviceProgress::Look DeviceProgress::look() {
  const std::lock_guard lock(mutex_);
  pass();
  return look_;
}

void DeviceProgress::mark(bool waits) {
  const std::lock_guard lock(mutex_);
  pass();
  if (free_.empty()) free_.push_back(streams_.make_event(false));
  std::unique_ptr<DeviceStreams::Event> event = std::move(free_.back());
  free_.pop_back();
  streams_.record(*event, DeviceStreams::Stream::compute);
  ahead_.push_back({std::move(event), waits});
}

// The marks of a stream are reached in their order.
void DeviceProgress::pass() {
  while (!ahead_.empty() && streams_.is_over(*ahead_.front().event)) {
    look_.waits = ahead_.front().waits;
    ++look_.passed;
    free_.push_back(std::move(ahead_.front().event));
    ahead_.pop_front();
  }
}

}  // namespace letterpress
