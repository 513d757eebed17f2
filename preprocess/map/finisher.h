#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace letterpress {

/// One thread for what waits on the disk (fsync, publish), so that no worker does. At most `most`
/// tasks wait: hand() blocks beyond that, which keeps unsynced shards, and so memory, bounded.
class Finisher {
 public:
  explicit Finisher(std::size_t most);
  ~Finisher();  ///< drops what has not begun, waits for what has
  Finisher(const Finisher&) = delete;
  Finisher& operator=(const Finisher&) = delete;

  /// Runs `task` later. Thread-safe. Throws what an earlier task threw.
  void hand(std::function<void()> task);
  /// Waits for all tasks. Throws what one threw.
  void wait();

 private:
  void run();
  void rethrow();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::exception_ptr failure_;
  std::size_t most_;
  bool busy_ = false, ended_ = false;
  std::thread thread_;
};

}  // namespace letterpress
