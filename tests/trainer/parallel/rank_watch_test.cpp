#include "trainer/parallel/rank_watch.h"

#include <doctest/doctest.h>

#include <future>
#include <mutex>

#include "tests/trainer/parallel/ranks_in_threads.h"
#include "trainer/parallel/rank_status_board.h"

using namespace letterpress;

namespace {

struct Told {
  int hung;
  RankStatus status;
};

/// A rank of its own process, as far as the others see.
struct WatchedRank {
  RankStatusBoard board;
  Heartbeat heartbeat;
  std::promise<Told> told;
  RankWatch watch;
  WatchedRank(const RankAssignment& assignment, RankActivity activity)
      : board(assignment.world_size),
        heartbeat(board, assignment.rank),
        watch(report(assignment, activity), board, 1, [this](int hung, const RankStatus& status) {
          told.set_value({hung, status});
        }) {}

 private:
  const RankAssignment& report(const RankAssignment& assignment, RankActivity activity) {
    board.set_activity(assignment.rank, activity);
    board.set_step(assignment.rank, 7 + assignment.rank);
    return assignment;
  }
};

}  // namespace

TEST_CASE("each rank that waits is told which one does not get on, and in which step") {
  for (const int ranks : {2, 3}) {
    CAPTURE(ranks);
    on_ranks(ranks, [ranks](RankGroup* group) {
      const int last = ranks - 1;
      const bool waits = group->rank() != last;
      WatchedRank rank(group->assignment(), waits ? RankActivity::waiting : RankActivity::in_step);
      if (waits) {
        const Told told = rank.told.get_future().get();
        CHECK(told.hung == last);
        CHECK(told.status.step == 7 + last);
        CHECK(told.status.since_s > 1);
        CHECK(told.status.silent_s < told.status.since_s);
      }
      group->all_reduce_max(0);  // the last one stays until the others were told
    });
  }
}

TEST_CASE("a rank that says nothing any more hangs, the one that keeps the store too") {
  for (const int silent : {0, 1}) {
    CAPTURE(silent);
    on_ranks(2, [silent](RankGroup* group) {
      auto rank = std::make_unique<WatchedRank>(group->assignment(), RankActivity::waiting);
      if (group->rank() == silent) {
        rank.reset();
      } else {
        CHECK(rank->told.get_future().get().hung == silent);
      }
      group->all_reduce_max(0);
    });
  }
}
