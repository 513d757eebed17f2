#include "trainer/parallel/local_ranks.h"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "letterpress/base/file.h"
#include "tests/contains.h"
#include "tests/is_alive.h"
#include "tests/scoped_variable.h"
#include "tests/temp_dir.h"
#include "trainer/parallel/hang.h"
#include "trainer/parallel/rank_status_board.h"

using namespace letterpress;

namespace {

struct Ran {
  int exit_code;
  std::string note;
};

// A shell per rank, which sees $RANK; $0 is `word`.
Ran run_shells(int ranks, const std::string& script, const std::string& word = "",
               double grace_s = 10) {
  std::string note;
  const int code = run_local_ranks({.ranks = ranks,
                                    .words = {"/bin/sh", "-c", script, word},
                                    .grace_s = grace_s,
                                    .note = [&](const std::string& text) { note += text; }},
                                   StopRequest{});
  return {code, note};
}

const std::string kStay = "exec tail -f /dev/null";

std::optional<int> hanging_rank(const std::vector<RankStatus>& statuses, double deadline_s) {
  const std::optional<Hang> hang = find_hang(statuses, deadline_s);
  return hang ? hang->rank : std::nullopt;
}

}  // namespace

TEST_CASE("each rank sees its number and the world size, and the run succeeds when all do") {
  const TempDir dir;
  const Ran ran = run_shells(3,
                             "echo $RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $MASTER_ADDR "
                             ">$0/$RANK; test -n \"$MASTER_PORT\"",
                             dir.path());
  CHECK(ran.exit_code == 0);
  CHECK(ran.note.empty());
  for (const std::string rank : {"0", "1", "2"})
    CHECK(read_file(dir / rank) == rank + " " + rank + " 3 3 127.0.0.1\n");
}

TEST_CASE("a rank that fails ends the others and gives its exit code") {
  const Ran ran = run_shells(3, "[ $RANK = 1 ] && exit 65; " + kStay, "", 0.1);
  CHECK(ran.exit_code == 65);
  CHECK(ran.note ==
        "rank 1 of 3 ended with exit code 65 before its first step, its message is above; all "
        "ranks were ended");
}

TEST_CASE("a rank that was killed is named, also when others noticed first") {
  const Ran ran = run_shells(2, "[ $RANK = 0 ] && exit 75; kill -9 $$", "", 5);
  CHECK(ran.exit_code == 128 + SIGKILL);
  CHECK(ran.note ==
        "rank 1 of 2 was killed before its first step by signal 9 (Killed); was memory short? "
        "`dmesg` tells; all ranks were ended, "
        "--resume goes "
        "on from the last checkpoint");
  CHECK(run_shells(2, "exit 75").exit_code == 75);
}

TEST_CASE(
    "SIGTERM goes on to the ranks, and their end by it is not a failure; one that comes again "
    "after "
    "a second kills ranks that ignore it") {
  const TempDir dir;
  const auto stopped = [&](const std::string& script, bool again) {
    const pid_t process = fork();
    if (process == 0) {
      std::signal(SIGTERM, [](int) {});  // one that comes when it has ended already
      _exit(run_shells(2, script, dir.path()).exit_code);
    }
    for (const std::string rank : {"0", "1"}) {
      while (!std::filesystem::exists(dir / rank)) sched_yield();
    }
    int status = 0;
    kill(process, SIGTERM);
    while (waitpid(process, &status, again ? WNOHANG : 0) == 0) kill(process, SIGTERM);
    for (const std::string name : {"0", "1", "told"}) std::filesystem::remove(dir / name);
    return WEXITSTATUS(status);
  };
  CHECK(stopped("trap 'exit 143' TERM; echo >$0/$RANK; while :; do :; done", false) == 143);
  // Of one request, as a script and its terminal send it, nobody is killed who takes a while.
  CHECK(
      stopped("trap 'echo >$0/told; sleep 0.2; exit 143' TERM; echo >$0/$RANK; while :; do :; done",
              true) == 143);
  CHECK(stopped("trap '' TERM; echo >$0/$RANK; while :; do :; done", true) == 143);
}

TEST_CASE("when the supervisor is killed, its ranks die") {
  const TempDir dir;
  const pid_t process = fork();
  if (process == 0)
    _exit(run_shells(2, "echo $$ >$0/made-$RANK; mv $0/made-$RANK $0/$RANK; " + kStay, dir.path())
              .exit_code);
  std::vector<pid_t> ranks;
  for (const std::string rank : {"0", "1"}) {
    while (!std::filesystem::exists(dir / rank)) sched_yield();
    std::istringstream(read_file(dir / rank)) >> ranks.emplace_back();
    CHECK(is_alive(ranks.back()));
  }
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
  for (const pid_t rank : ranks) {
    while (is_alive(rank)) sched_yield();  // the test's time limit is the check
  }
}

TEST_CASE(
    "whoever holds a board's descriptor sees each rank's step; without one nothing is written") {
  RankStatusBoard board(2);
  CHECK(board.status(1).step == -1);
  RankStatusBoard other(dup(board.descriptor()), 2);
  other.set_step(1, 17);
  CHECK(board.status(1).step == 17);
  CHECK(board.status(0).step == -1);
  CHECK(other.set_activity(1, RankActivity::in_step) == RankActivity::unreported);
  CHECK(other.set_activity(1, RankActivity::waiting) == RankActivity::in_step);
  CHECK(board.status(1).activity == RankActivity::waiting);
  CHECK(board.status(1).since_s < 60);
  CHECK(board.status(0).activity == RankActivity::unreported);
  RankStatusBoard none(-1, 2);
  none.set_step(0, 3);
  CHECK(none.set_activity(0, RankActivity::long_task) == RankActivity::unreported);
  CHECK(none.status(0).step == -1);
}

TEST_CASE(
    "the rank that the others wait for in vain hangs; one that works no longer than it used to "
    "does not") {
  const RankStatus waits{.activity = RankActivity::waiting, .since_s = 500},
      works{.activity = RankActivity::in_step, .since_s = 44},
      stuck{.activity = RankActivity::in_step, .since_s = 46},
      stopped{.activity = RankActivity::waiting, .since_s = 46, .silent_s = 46};
  CHECK(hanging_rank({waits, stuck}, 45) == 1);
  CHECK(hanging_rank({stopped, waits, waits}, 45) == 0);  // also in the middle of an all-reduce
  CHECK_FALSE(hanging_rank({waits, works}, 45));
  CHECK_FALSE(hanging_rank({stuck, works, waits}, 45));  // one gets on
  CHECK_FALSE(hanging_rank({waits, waits}, 45));
  CHECK_FALSE(hanging_rank({stuck, stuck}, 45));  // nobody waits
  // Hosts run ahead of their devices: these say who waits for whom.
  const RankStatus computes{.step = 7,
                            .activity = RankActivity::on_device,
                            .device = DeviceActivity::computing,
                            .since_s = 50,
                            .silent_s = 0.2};
  RankStatus waits_there = computes, ahead = computes;
  waits_there.device = ahead.device = DeviceActivity::waiting;
  ahead.activity = RankActivity::in_step;
  CHECK(hanging_rank({waits_there, computes, ahead}, 45) == 1);
  CHECK(hanging_rank({ahead, stopped}, 45) == 1);
  CHECK_FALSE(hanging_rank({waits_there, ahead}, 45));
  CHECK_FALSE(hanging_rank({waits_there, computes}, 60));
  CHECK(describe({.rank = 1, .status = computes}, 2) ==
        "rank 1 of 2 hung in step 7: its device made no progress for 50 s while the others waited "
        "for it");
  CHECK_FALSE(hanging_rank({waits, RankStatus{}}, 45));
  // Long steps do not hang.
  CHECK_FALSE(hanging_rank(
      {waits, {.activity = RankActivity::in_step, .since_s = 299, .longest_s = 100}}, 45));
  CHECK(hanging_rank({waits, {.activity = RankActivity::in_step, .since_s = 301, .longest_s = 100}},
                     45) == 1);
  // Neither are checkpoints, for a while.
  CHECK_FALSE(hanging_rank({waits, {.activity = RankActivity::long_task, .since_s = 449}}, 45));
  CHECK(hanging_rank({waits, {.activity = RankActivity::long_task, .since_s = 451}}, 45) == 1);
  CHECK(hanging_rank({waits, {.activity = RankActivity::long_task, .since_s = 1, .silent_s = 46}},
                     45) == 1);
}

TEST_CASE("ranks that all wait for longer than the deadline wait for each other") {
  const RankStatus waits{.step = 7, .activity = RankActivity::waiting, .since_s = 46},
      just_began{.step = 8, .activity = RankActivity::waiting, .since_s = 45},
      on_device{.step = 9,
                .activity = RankActivity::on_device,
                .device = DeviceActivity::waiting,
                .since_s = 50};
  const std::optional<Hang> hang = find_hang({on_device, waits}, 45);
  REQUIRE(hang);
  CHECK_FALSE(hang->rank);
  CHECK(describe(*hang, 2) ==
        "all 2 ranks wait for each other in step 7: no collective call has ended for 46 s");
  CHECK_FALSE(find_hang({waits, just_began}, 45));
  // One was stopped a moment after it began to wait: it is to blame, soon.
  RankStatus stopped = waits;
  stopped.silent_s = 44.9;
  CHECK_FALSE(find_hang({waits, stopped}, 45));
  stopped.silent_s = 45.1;
  CHECK(hanging_rank({waits, stopped}, 45) == 1);
  // The first calls of all connect them.
  const RankStatus connects{.step = 0, .activity = RankActivity::waiting, .since_s = 449},
      never{.step = 0, .activity = RankActivity::waiting, .since_s = 451};
  CHECK_FALSE(find_hang({connects, connects}, 45));
  CHECK(find_hang({never, never}, 45));
  CHECK_FALSE(find_hang({waits, RankStatus{}}, 45));  // has ended, or is still being started
  CHECK_FALSE(find_hang({waits, {.activity = RankActivity::in_step, .since_s = 1}}, 45));
}

TEST_CASE("the time for which a process was stopped is none in which it waited") {
  RankStatusBoard board(1);
  board.set_activity(0, RankActivity::waiting);
  while (board.status(0).silent_s < 1) sched_yield();
  board.report_alive(0);
  CHECK(board.status(0).since_s >= 1);  // the machine was busy
  while (board.status(0).silent_s < 2.1) sched_yield();
  board.report_alive(0);
  CHECK(board.status(0).since_s < 2);
}

TEST_CASE("as a rank of the next tests" * doctest::skip()) {
  const int rank = std::atoi(std::getenv("RANK"));
  const bool all_wait = std::getenv("ALL_WAIT") != nullptr;
  RankStatusBoard board(std::atoi(std::getenv("LETTERPRESS_STEPS")), 2);
  const Heartbeat heartbeat(board, rank);
  board.set_activity(rank, rank == 0 || all_wait ? RankActivity::waiting : RankActivity::in_step);
  board.set_step(rank, 17);
  if (rank == 1 && !all_wait) raise(SIGSTOP);
  for (;;) pause();
}

namespace {

Ran run_hanging_ranks() {
  std::string note;
  const int code = run_local_ranks(
      {.ranks = 2,
       .words = {"/proc/self/exe", "--no-skip", "--test-case=as a rank of the next tests"},
       .grace_s = 0.1,
       .deadline_s = 2,
       .note = [&](const std::string& text) { note += text; }},
      StopRequest{});
  return {code, note};
}

}  // namespace

TEST_CASE("a rank that hangs is killed and named with its step") {
  const Ran ran = run_hanging_ranks();
  CHECK(ran.exit_code == 128 + SIGKILL);
  CHECK_MESSAGE(ran.note.starts_with("rank 1 of 2 hung in step 17: it made no progress for "),
                ran.note);
  CHECK_MESSAGE(contains(ran.note,
                         " s while the others waited for it, and was killed; was its process "
                         "stopped"),
                ran.note);
}

TEST_CASE("ranks that wait for each other are killed, with their step") {
  const ScopedVariable all_wait("ALL_WAIT", "1");
  const Ran ran = run_hanging_ranks();
  CHECK(ran.exit_code == 128 + SIGKILL);
  CHECK_MESSAGE(ran.note.starts_with("all 2 ranks wait for each other in step 17: no collective "
                                     "call has ended for "),
                ran.note);
  CHECK_MESSAGE(contains(ran.note, " s, and were killed; does the network between them hang"),
                ran.note);
}
