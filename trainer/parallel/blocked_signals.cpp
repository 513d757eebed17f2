#include "trainer/parallel/blocked_signals.h"

#include <atomic>

#include "letterpress/base/stop_request.h"

namespace letterpress {
namespace {

std::atomic<bool> elsewhere{false};  // a library's thread got SIGTSTP
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_terminal_stop(int) { elsewhere = true; }

}  // namespace

BlockedSignals::BlockedSignals() {
  elsewhere = false;
  sigemptyset(&set_);
  sigaddset(&set_, SIGCHLD);
  for (const int signal : signals_that_stop()) sigaddset(&set_, signal);
  sigaction(SIGTSTP, nullptr, &terminal_stop_);
  if (terminal_stop_.sa_handler != SIG_IGN) {
    sigaddset(&set_, SIGTSTP);
    signal(SIGTSTP, on_terminal_stop);
  }
  pthread_sigmask(SIG_BLOCK, &set_, &before_);
}

BlockedSignals::~BlockedSignals() {
  sigaction(SIGTSTP, &terminal_stop_, nullptr);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int BlockedSignals::wait(std::chrono::milliseconds most) const {
  const timespec time{most.count() / 1000, (most.count() % 1000) * 1000000};
  const int signal = elsewhere ? 0 : sigtimedwait(&set_, nullptr, &time);
  if (signal > 0) return signal;
  return elsewhere.exchange(false) ? SIGTSTP : 0;
}

}  // namespace letterpress
