#include "trainer/parallel/rank_watch.h"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <future>
#include <latch>
#include <thread>

#include "tests/trainer/parallel/ranks_in_threads.h"
#include "trainer/parallel/rank_status_board.h"
#include "trainer/parallel/rank_store.h"

using namespace letterpress;

namespace {

// So long is longer than any deadline here.
constexpr std::chrono::seconds kPatience{60};

/// A rank of its own process, as far as the others see.
struct WatchedRank {
  RankStatusBoard board;
  Heartbeat heartbeat;
  std::promise<Hang> told;
  RankWatch watch;
  WatchedRank(const RankAssignment& assignment, RankActivity activity)
      : board(assignment.world_size),
        heartbeat(board, assignment.rank),
        watch(report(assignment, activity), board, 1,
              [this](const Hang& hang) { told.set_value(hang); }) {}

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
        const Hang told = rank.told.get_future().get();
        CHECK(told.rank == last);
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
        CHECK(rank->told.get_future().get().rank == silent);
      }
      group->all_reduce_max(0);
    });
  }
}

TEST_CASE("ranks in different collective calls are told that all wait, though each lives") {
  std::latch both_told(2);
  on_ranks(2, [&both_told](RankGroup* group) {
    WatchedRank rank(group->assignment(), RankActivity::in_step);
    group->report_to(rank.board);
    torch::Tensor sum = torch::ones({2});
    const auto sum_up = [&] { group->start_all_reduce(sum)(); };
    const auto agree = [&] { group->all_reduce_max(0); };
    const std::function<void()> first = group->is_first() ? std::function(agree) : sum_up,
                                second = group->is_first() ? std::function(sum_up) : agree;
    std::thread hanging(first);
    std::future<Hang> told = rank.told.get_future();
    const bool is_told = told.wait_for(kPatience) == std::future_status::ready;
    CHECK(is_told);
    if (is_told) CHECK_FALSE(told.get().rank);
    both_told.arrive_and_wait();
    second();  // what the other one waits for
    hanging.join();
  });
}

TEST_CASE("a rank that waits is told, too, when the store is gone") {
  const std::vector<RankAssignment> assignments = local_assignments(2);
  auto store = connect_to_store(assignments[0], true, 60);
  store->set("status/0", std::vector<std::uint8_t>{0});  // it would wait for that
  WatchedRank rank(assignments[1], RankActivity::waiting);
  store.reset();
  // While its own calls end, it is the store alone that is gone.
  std::future<Hang> told = rank.told.get_future();
  for (int calls = 0; calls < 20; ++calls) {
    CHECK(told.wait_for(std::chrono::milliseconds(100)) == std::future_status::timeout);
    rank.board.set_activity(1, RankActivity::in_step);
    rank.board.set_activity(1, RankActivity::waiting);
  }
  REQUIRE(told.wait_for(kPatience) == std::future_status::ready);
  CHECK(told.get().rank == 0);
}
