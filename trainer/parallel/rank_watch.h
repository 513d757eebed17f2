#pragma once
#include <functional>
#include <memory>
#include <thread>

#include "trainer/parallel/hang.h"
#include "trainer/parallel/rank_assignment.h"
#include "trainer/parallel/rank_status_board.h"

namespace letterpress {

/// Notices that this rank waits in vain, by the rule of find_hang(), where no supervisor of all
/// ranks does: under torchrun, mpirun and srun. The ranks tell each other through their store what
/// they do; a rank that tells nothing any more is silent, and without the store all others are.
/// Threads of its own.
class RankWatch {
 public:
  /// Called once, in a thread of the watch.
  using OnHang = std::function<void(const Hang&)>;

  /// After the ranks have connected. board: of this rank, which a Heartbeat keeps alive; outlives
  /// the watch. Throws Error (busy) when the store is not there.
  RankWatch(const RankAssignment& assignment, const RankStatusBoard& board, double deadline_s,
            OnHang on_hang);
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  ///< the other owner: a thread that a stopped store may hold for
                                    ///< ever, so that nobody joins it
  std::jthread watching_;
};

}  // namespace letterpress
