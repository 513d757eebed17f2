#pragma once
#include <torch/types.h>

#include <cstdint>
#include <memory>

namespace letterpress {

/// Counts the bytes of the tensors on one device that this thread allocates while the meter lives,
/// and those that backward allocates for it. Tensors from before do not count, nor what libraries
/// allocate outside the allocator. One at a time per thread, not beside torch's profiler.
class MemoryMeter {
 public:
  explicit MemoryMeter(torch::Device device);
  ~MemoryMeter();
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  std::int64_t now() const;  ///< bytes in use
  std::int64_t peak()
      const;          ///< the most bytes in use at once since the start or the last reset_peak()
  void reset_peak();  ///< to now()

 private:
  struct Count;
  std::shared_ptr<Count>
      count_;  ///< owners: the meter, and threads of backward that still hold this thread's state
  struct Guard;
  std::unique_ptr<Guard> guard_;
};

}  // namespace letterpress
