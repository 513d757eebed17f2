#include "preprocess/map/finisher.h"

namespace letterpress {

Finisher::Finisher(std::size_t most) : most_(most), thread_([this] { run(); }) {}

Finisher::~Finisher() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    tasks_.clear();
  }
  changed_.notify_all();
  thread_.join();
}

void Finisher::hand(std::function<void()> task) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return tasks_.size() < most_ || failure_; });
    rethrow();
    tasks_.push_back(std::move(task));
  }
  changed_.notify_all();
}

void Finisher::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return (tasks_.empty() && !busy_) || failure_; });
  rethrow();
}

void Finisher::rethrow() {
  if (failure_) std::rethrow_exception(failure_);
}

void Finisher::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !tasks_.empty() || ended_; });
    if (ended_) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    busy_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      task();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    busy_ = false;
    if (failure) {
      failure_ = failure;
      tasks_.clear();
    }
    changed_.notify_all();
  }
}

}  // namespace letterpress
