#include <doctest/doctest.h>

#include <csignal>
#include <optional>

#include "tests/contains.h"
#include "tests/is_alive.h"
#include "tests/skip.h"
#include "tests/tools/trainer/frozen_threads.h"
#include "tests/tools/trainer/rank_programs.h"

using namespace letterpress;

namespace {

/// A fit that does not end by itself within a test; a hang ends it after eight seconds.
std::vector<std::string> endless_fit(const TrainerBench& bench) {
  return fit(bench, "run",
             {"--epochs", "100000", "--checkpoint-minutes", "0.0001", "--rank-deadline", "8",
              "--read-deadline", "3", "--threads", "1"});
}

/// Two ranks as torchrun starts them, which have written their first checkpoint.
struct LaunchedRanks {
  TrainerBench bench;
  std::string port = free_port();
  std::optional<FrozenThreads> frozen;  // until they have ended
  RunningProgram first{words("0")}, second{words("1")};
  LaunchedRanks() { wait_for_file(first, bench.folder / "run/last.safetensors"); }

 private:
  std::vector<std::string> words(const std::string& rank) const {
    return joined({"/usr/bin/env", "WORLD_SIZE=2", "LOCAL_WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1",
                   "MASTER_PORT=" + port, "RANK=" + rank, "LOCAL_RANK=" + rank},
                  endless_fit(bench));
  }
};

void check_told(const ProgramResult& result, const std::string& rank, const std::string& why) {
  CHECK_MESSAGE(contains(result.err, "fit: rank " + rank + " of 2, step "), result.err);
  CHECK_MESSAGE(contains(result.err, ": lost the other ranks: " + why), result.err);
}

void check_lost(const ProgramResult& result, const std::string& rank, const std::string& why) {
  CHECK(result.exit_code == 75);
  check_told(result, rank, why);
}

/// Stops rank 1 of a job that a launcher started, whose ranks have `variable` in their environment,
/// and waits: rank 0 says what it lost, and nobody stays.
void check_job_ends(const std::vector<std::string>& launcher, const std::string& variable,
                    int exit_code) {
  const TrainerBench bench;
  RunningProgram job(joined(launcher, endless_fit(bench)));
  wait_for_file(job, bench.folder / "run/last.safetensors");
  const auto ranks = ranks_of(job.id(), variable);
  REQUIRE(ranks.size() == 2);
  kill(ranks.at("1"), SIGSTOP);
  const Watch watch;
  const ProgramResult result = job.wait();
  CHECK(watch.seconds() < 60);
  CHECK(result.exit_code == exit_code);
  check_told(result, "0", "rank 1 of 2 hung ");
  for (const auto& [rank, process] : ranks) {
    while (is_alive(process) && watch.seconds() < 60) sched_yield();  // launchers may not wait
    CHECK_FALSE(is_alive(process));
  }
}

}  // namespace

TEST_CASE("a rank of a launcher ends by itself when another one is stopped, and names it") {
  for (const std::string stopped : {"1", "0"}) {  // rank 0 keeps the store
    CAPTURE(stopped);
    LaunchedRanks ranks;
    (stopped == "0" ? ranks.first : ranks.second).send(SIGSTOP);
    const Watch watch;
    const ProgramResult result = (stopped == "0" ? ranks.second : ranks.first).wait();
    CHECK(watch.seconds() < 60);
    // In which step, it told up to a second before.
    check_lost(result, stopped == "0" ? "1" : "0", "rank " + stopped + " of 2 hung ");
  }
}

TEST_CASE("ranks that live but wait for each other end within the deadline, each with its step" *
          doctest::test_suite("needs ptrace")) {
  LaunchedRanks ranks;
  // They do the collective calls of a rank, as a network that hangs does not.
  ranks.frozen.emplace(ranks.second.id(), "pt_gloo_runloop");
  if (ranks.frozen->number() == 0) return skip("threads of a child cannot be stopped here");
  const Watch watch;
  const ProgramResult first = ranks.first.wait(), second = ranks.second.wait();
  CHECK(watch.seconds() < 60);
  CHECK(first.exit_code == 75);
  CHECK(second.exit_code == 75);
  const std::string both = first.err + second.err;
  CHECK_MESSAGE(contains(both, ": lost the other ranks: all 2 ranks wait for each other in step "),
                both);
  CHECK_MESSAGE(contains(first.err, "fit: rank 0 of 2, step "), first.err);
  CHECK_MESSAGE(contains(second.err, "fit: rank 1 of 2, step "), second.err);
}

TEST_CASE("a rank of mpirun that is stopped ends the job within the deadline, with its step" *
          doctest::test_suite("needs mpirun")) {
  if (!std::filesystem::exists("/usr/bin/mpirun"))
    return skip("no mpirun here; scripts/setup.sh --tests installs it");
  check_job_ends({"/usr/bin/mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"},
                 "OMPI_COMM_WORLD_RANK", 75);
}

TEST_CASE("a rank of torchrun that is stopped ends the job within the deadline, with its step" *
          doctest::test_suite("needs PyTorch")) {
  if (torchrun().empty()) return skip("no PyTorch in .deps/torch; scripts/setup.sh puts it there");
  check_job_ends(torchrun(), "RANK", 1);  // its own code for a rank that failed
}
