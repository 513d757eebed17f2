#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "preprocess/draw/draw.h"
#include "preprocess/pictures/picture.h"

namespace letterpress {

/// A picture, what is drawn on it, and the PNG that it becomes.
struct Drawing {
  Picture picture{};
  std::vector<DrawnBox> boxes{};
  std::filesystem::path file{};
};

/// Threads that draw, encode and write pictures. One thread adds to them.
class DrawingThreads {
 public:
  /// failed: is called in the thread that cannot write; no more is drawn then.
  DrawingThreads(int threads, std::function<void(std::exception_ptr)> failed);
  ~DrawingThreads();  ///< leaves what was not begun

  /// Waits while as many pictures as there are threads, or very large ones, wait already. Throws
  /// SessionFailed after a failure.
  void add(Drawing drawing);
  /// Until all are written.
  void finish();

 private:
  void work();
  void stop();

  std::function<void(std::exception_ptr)> failed_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Drawing> waiting_;
  std::int64_t pixels_ = 0;  // of waiting and of drawn ones
  bool complete_ = false, failure_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace letterpress
