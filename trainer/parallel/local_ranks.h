#pragma once
#include <functional>
#include <string>
#include <vector>

namespace letterpress {

struct LocalRanks {
  int ranks = 2;
  std::vector<std::string> words{};  ///< program and arguments; empty: this program with its own
  double grace_s =
      10;  ///< after a rank has failed: how long the others may take to end by themselves
  double deadline_s =
      45;  ///< until a rank for which the others wait in vain is killed: hanging_rank()
  std::function<void(const std::string&)>
      note{};  ///< told how the run ended when a rank failed or hung: which one, how, in which step
};

/// Starts the program once per rank on this host, with the variables that rank_assignment() reads,
/// and stays until all have ended. SIGINT and SIGTERM go on to the ranks; a second one ends them at
/// once. When a rank fails, the others are ended; one that hangs is killed. The kernel kills the
/// ranks when this process is killed. Answers the exit code: 0; 128 + signal when one was sent and
/// the ranks obeyed; else that of the rank that hung or failed first (128 + signal when it was
/// killed), those that only lost the others (75) coming last. Throws Error (io) when a rank cannot
/// be started.
int run_local_ranks(const LocalRanks& options);

}  // namespace letterpress
