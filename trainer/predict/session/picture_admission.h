#pragma once
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "trainer/predict/session/frame_batches.h"

namespace letterpress {

/// Lets pictures be decoded in their order, while all that are open have at most so many pixels; a
/// larger one is let in alone. Who is let in waits for earlier pictures only, which are in already,
/// so that nobody waits for ever. Thread-safe.
class PictureAdmission {
 public:
  explicit PictureAdmission(std::int64_t pixels) : all_(pixels), free_(pixels) {}

  /// Pixels in use until destruction; the constructor waits, and ends with SessionFailed after
  /// fail().
  class Hold {
   public:
    Hold(PictureAdmission& owner, std::int64_t input, std::int64_t pixels)
        : owner_(owner), pixels_(std::min(pixels, owner.all_)) {
      std::unique_lock lock(owner_.mutex_);
      owner_.changed_.wait(lock, [&] {
        return owner_.failed_ || (owner_.next_ == input && owner_.free_ >= pixels_);
      });
      if (owner_.failed_) throw SessionFailed();
      owner_.free_ -= pixels_;
      ++owner_.next_;
      owner_.changed_.notify_all();
    }
    ~Hold() {
      const std::lock_guard lock(owner_.mutex_);
      owner_.free_ += pixels_;
      owner_.changed_.notify_all();
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    PictureAdmission& owner_;
    std::int64_t pixels_;
  };

  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t all_, free_, next_ = 0;
  bool failed_ = false;
};

}  // namespace letterpress
