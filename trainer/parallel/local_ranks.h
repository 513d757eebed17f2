#pragma once
#include <functional>
#include <string>
#include <vector>

#include "letterpress/base/stop_request.h"

namespace letterpress {

/// The ranks that one supervisor starts on its host.
struct LocalRanks {
  int ranks = 2;
  std::vector<std::string> words{};  ///< program and arguments; empty: this program with its own
  double grace_s = 10;  ///< how long the other ranks may take to end by themselves after one failed
  double deadline_s = 45;  ///< when ranks count as hanging: find_hang()
  /// Gets one text when a rank failed or hung: which one, how, in which step.
  std::function<void(const std::string&)> note{};
};

/// Starts the program once per rank on this host, with the variables that rank_assignment() reads,
/// and returns when all ranks have ended. signals_that_stop() go on to the ranks; a second one more
/// than kOneRequest later kills them. When a rank fails, the others are ended; a rank that hangs is
/// killed. SIGTSTP (Ctrl-Z) stops the ranks and then this process, which lets them go on when it is
/// let go on. When this process is killed, the kernel kills the ranks. stop: made by this process's
/// signal handlers, which may get the signal first. Returns the exit code: 0; 128 + signal when one
/// was sent and the ranks ended by it; else the code of the rank that hung or failed first (128 +
/// signal when it was killed). Ranks that only lost the others (75) count last. Throws Error (io)
/// when a rank cannot be started.
int run_local_ranks(const LocalRanks& options, const StopRequest& stop);

}  // namespace letterpress
