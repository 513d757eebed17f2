#pragma once
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

namespace letterpress {

/// For a process that `parent` has just forked off: it gets `signal` when the parent ends, and ends
/// here where that has happened already.
inline void end_with_parent(pid_t parent, int signal) {
  prctl(PR_SET_PDEATHSIG, signal);
  if (getppid() != parent) _exit(0);  // it ended before the line above; nobody hears of the code
}

}  // namespace letterpress
