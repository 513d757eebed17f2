#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "trainer/device/device_streams.h"

namespace letterpress {

/// Whether a device computes, or waits for those of other ranks: marks on its compute stream tell,
/// which its host may be steps ahead of. Thread-safe: any thread looks; those that make marks have
/// the same compute stream (DeviceStreams) and make them one after the other.
class DeviceProgress {
 public:
  /// streams: outlives it.
  explicit DeviceProgress(DeviceStreams& streams) : streams_(streams) {}

  /// What is queued on the compute stream from here on waits for other ranks, up to end_wait().
  void begin_wait() { mark(true); }
  void end_wait() { mark(false); }

  struct Look {
    bool waits = false;       ///< the device has reached a begin_wait(), not yet its end
    std::int64_t passed = 0;  ///< marks so far; as long as it stays, the device gets nowhere
  };
  Look look();

 private:
  struct Mark {
    std::unique_ptr<DeviceStreams::Event> event;
    bool waits;
  };
  void mark(bool waits);
  void pass();

  DeviceStreams& streams_;
  std::mutex mutex_;
  std::deque<Mark> ahead_;  ///< that the device has not reached
  std::vector<std::unique_ptr<DeviceStreams::Event>> free_;
  Look look_;
};

}  // namespace letterpress
