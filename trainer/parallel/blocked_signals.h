#pragma once
#include <chrono>
#include <csignal>

namespace letterpress {

/// Blocks signals of this thread while it lives, so that wait() gets them: SIGCHLD,
/// signals_that_stop(), and SIGTSTP (Ctrl-Z) unless it is ignored, as where nobody can type it. One
/// at a time.
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  /// The next signal; 0 when none came within `most`. A thread of a library may get one
  /// that stops in place of this one: then the program's handler has run. SIGTSTP is returned, too,
  /// when such a thread got it.
  int wait(std::chrono::milliseconds most) const;
  /// The mask as it was.
  const sigset_t& before() const { return before_; }

 private:
  sigset_t set_, before_;
  struct sigaction terminal_stop_ {};  ///< as it was
};

}  // namespace letterpress
