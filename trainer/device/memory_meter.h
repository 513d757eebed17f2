#pragma once
#include <torch/torch.h>

#include <cstdint>
#include <memory>

namespace letterpress {

/// Counts the bytes of the tensors on one device that this thread makes while the meter lives, and
/// those that backward makes for it. What was there before does not count, nor what libraries take
/// past the allocator. One at a time per thread, not beside torch's profiler.
class MemoryMeter {
 public:
  explicit MemoryMeter(torch::Device device);
  ~MemoryMeter();
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  std::int64_t now() const;  ///< bytes that are taken
  std::int64_t peak()
      const;          ///< the most that were at once, since the beginning or the last reset_peak()
  void reset_peak();  ///< to what is taken now

 private:
  struct Count;
  std::shared_ptr<Count>
      count_;  ///< owners: the meter, and threads of backward that still hold this thread's state
  struct Guard;
  std::unique_ptr<Guard> guard_;
};

}  // namespace letterpress
