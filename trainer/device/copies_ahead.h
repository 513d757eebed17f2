#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "trainer/device/device_streams.h"

namespace letterpress {

/// Batches that are copied to a device one ahead of the work that uses them, on a stream of their
/// own, into two slots of device memory by turns. The host waits for copies, and never until work
/// is done. To count how long the device starved, it waits until the work with a batch begins. One
/// thread.
class CopiesAhead {
 public:
  /// Page-locked bytes of the host, and where in a slot they go.
  struct Piece {
    const void* from;
    std::size_t bytes;
    std::size_t to;
  };
  struct Fetched {
    std::vector<Piece> pieces{};  ///< none: there is no batch any more
    double waited_s = 0;          ///< that it took the host to have the data
  };
  /// Fetches the batch that goes into `slot`. Its pieces stay as they are until the next call,
  /// before which the copy out of them is waited for; those of the same slot until the call after
  /// that. Not called again once it has returned no pieces.
  using Fetch = std::function<Fetched(std::size_t slot)>;
  /// Queues on the compute stream all that reads `slot`.
  using Use = std::function<void(std::size_t slot)>;

  /// bytes: of a slot. streams: outlives it.
  CopiesAhead(DeviceStreams& streams, std::size_t bytes, Fetch fetch);
  /// Waits for copies that still run.
  ~CopiesAhead();
  CopiesAhead(const CopiesAhead&) = delete;
  CopiesAhead& operator=(const CopiesAhead&) = delete;

  static constexpr std::size_t kSlots = 2;
  std::byte* memory(std::size_t slot) const { return slots_[slot].memory.get(); }

  /// Calls `use` for the next batch, once its copy is queued. False: there was none. Throws what
  /// `fetch` throws.
  bool next(const Use& use);
  /// Starts the copy of the batch after it: for when all work with this one is queued.
  void prefetch();
  /// Seconds so far in which the device had nothing to do because the host waited for data: events
  /// on its stream tell when it ran dry. Waits for the beginning of the last use.
  double starved_s();

 private:
  struct Slot {
    DeviceStreams::Memory memory;
    std::unique_ptr<DeviceStreams::Event> copied, consumed;
    std::unique_ptr<DeviceStreams::Event> dry,
        fed;  ///< the device has done all that was queued before; it has this slot's data
    double waited_s = 0;
    bool filled = false, timed = false;
  };
  bool fill(std::size_t slot);
  void count_starved(Slot& slot);

  DeviceStreams& streams_;
  Fetch fetch_;
  std::array<Slot, kSlots> slots_;
  std::size_t current_ = 0;
  bool ended_ = false;
  double starved_s_ = 0;
};

/// How long a device starved for a batch: it was idle for `idle_s` before it, while the host waited
/// `waited_s` for the data. What it was idle beyond that has other reasons (a slow host); what the
/// host waited beyond that did not hurt.
inline double starved(double idle_s, double waited_s) {
  return std::max(0.0, std::min(idle_s, waited_s));
}

}  // namespace letterpress
