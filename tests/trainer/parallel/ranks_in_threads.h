#pragma once
#include <cstdlib>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "tests/listening_socket.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {

/// Places of `ranks` ranks on this host, which meet at a free port.
inline std::vector<RankAssignment> local_assignments(int ranks) {
  const ListeningSocket meeting;
  std::vector<RankAssignment> assignments;
  for (int rank = 0; rank < ranks; ++rank) {
    assignments.push_back({.rank = rank,
                           .world_size = ranks,
                           .local_rank = rank,
                           .local_world_size = ranks,
                           .launcher = "--ranks",
                           .port = meeting.port});
  }
  assignments.front().listening = meeting.descriptor;
  return assignments;
}

/// Runs `work` in a thread for each rank, with its group; one rank gets null, as one process alone
/// does. A rank that throws leaves its group; the exception of the first rank that threw is thrown
/// again.
inline void on_ranks(int ranks, const std::function<void(RankGroup*)>& work) {
  if (ranks == 1) return work(nullptr);
  // c10d's flight recorder is one for the process, and two groups of one process race for it.
  setenv("TORCH_FR_BUFFER_SIZE", "0", 1);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (const RankAssignment& assignment : local_assignments(ranks)) {
    threads.emplace_back([&, assignment] {
      try {
        RankGroup group(assignment, torch::kCPU, 60);
        work(&group);
      } catch (...) {
        failures[static_cast<std::size_t>(assignment.rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace letterpress
