#pragma once
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace letterpress {

/// Lets only so many pixels be open at once, so that memory is bounded by the budget and not by
/// threads x the largest picture. A picture over the whole budget waits until it is alone.
/// Thread-safe.
class PixelBudget {
 public:
  explicit PixelBudget(std::int64_t pixels)
      : budget_(std::max<std::int64_t>(pixels, 1)), free_(budget_) {}

  /// Pixels in use until destruction.
  class Hold {
   public:
    Hold(PixelBudget& owner, std::int64_t pixels)
        : owner_(owner), pixels_(std::clamp<std::int64_t>(pixels, 0, owner.budget_)) {
      std::unique_lock lock(owner_.mutex_);
      owner_.returned_.wait(lock, [&] { return owner_.free_ >= pixels_; });
      owner_.free_ -= pixels_;
    }
    ~Hold() {
      {
        const std::lock_guard lock(owner_.mutex_);
        owner_.free_ += pixels_;
      }
      owner_.returned_.notify_all();
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    PixelBudget& owner_;
    std::int64_t pixels_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable returned_;
  std::int64_t budget_, free_;
};

}  // namespace letterpress
