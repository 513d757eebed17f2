#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "letterpress/base/cores.h"
#include "letterpress/shards/shard.h"
#include "tests/contains.h"
#include "tests/is_alive.h"
#include "tests/skip.h"
#include "tests/tools/trainer/rank_programs.h"

using namespace letterpress;

namespace {

std::vector<double> losses(const std::filesystem::path& run) {
  std::vector<double> values;
  std::ifstream file(run / "results.csv");
  std::string line;
  for (std::getline(file, line); std::getline(file, line);) {
    std::istringstream fields(line);
    std::string field;
    for (int column = 0; column <= 6; ++column) std::getline(fields, field, ',');
    values.push_back(std::stod(field));
  }
  return values;
}

/// A long fit by two ranks that has written its first checkpoint.
struct RunningRanks {
  TrainerBench bench;
  std::vector<std::string> more;
  // It does not end by itself within a test.
  RunningProgram program{
      fit(bench, "run",
          joined({"--epochs", "100000", "--ranks", "2", "--checkpoint-minutes", "0.0001",
                  "--optimiser", "sgd", "--momentum", "0", "--ema", "0"},
                 more))};
  std::map<std::string, pid_t> ranks;
  explicit RunningRanks(std::vector<std::string> flags = {}) : more(std::move(flags)) {
    wait_for_file(program, bench.folder / "run/last.safetensors");
    ranks = ranks_of(program.id(), "RANK");
    REQUIRE(ranks.size() == 2);
  }
};

/// What one process and two lose in three epochs.
struct OneAndTwo {
  TrainerBench bench;
  OneAndTwo() { check("alone", run(words("alone"))); }
  // Only the output layers train, which have no norm: a batch in two halves is the same function.
  std::vector<std::string> words(const std::string& run) const {
    return fit(bench, run, {"--epochs", "3", "--freeze", "all-but-head"});
  }
  void check(const std::string& run, const ProgramResult& result) const {
    CAPTURE(run);
    REQUIRE_MESSAGE(result.exit_code == 0, result.err);
    const auto alone = losses(bench.folder / "alone"), shared = losses(bench.folder / run);
    REQUIRE(shared.size() == 3);
    for (std::size_t epoch = 0; epoch < 3; ++epoch)
      CHECK(shared[epoch] == doctest::Approx(alone[epoch]).epsilon(1e-3));
  }
};

}  // namespace

TEST_CASE("torchrun's two ranks train as one process does, and meet at its store" *
          doctest::test_suite("needs PyTorch")) {
  if (torchrun().empty()) return skip("no PyTorch in .deps/torch; scripts/setup.sh puts it there");
  const OneAndTwo both;
  const std::vector<std::string> told{
      "/bin/sh", "-c", "echo agent store $TORCHELASTIC_USE_AGENT_STORE; exec \"$0\" \"$@\""};
  const ProgramResult result = run(joined(joined(torchrun(), told), both.words("torchrun")));
  both.check("torchrun", result);
  CHECK_MESSAGE(contains(result.out, "agent store True"), result.out);
  CHECK_MESSAGE(contains(result.err, "one of 2 ranks (torchrun)"), result.err);
}

TEST_CASE("--ranks and torchrun's variables without a store of its own train as one process does") {
  const OneAndTwo both;
  const auto words = [&](const std::string& run) { return both.words(run); };
  const auto check_run = [&](const std::string& run, const ProgramResult& result) {
    both.check(run, result);
  };
  const ProgramResult started =
      run(joined(words("ranks"), {"--ranks", "2", "--json", "--readers", "1000", "--rank-deadline",
                                  "5", "--read-deadline", "40"}));
  check_run("ranks", started);
  CHECK(contains(started.err, "fp32, one of 2 ranks (--ranks)"));
  CHECK_CONTAINS(started.err,
                 "--rank-deadline 5 is raised to 45 s: must be at least --read-deadline + 5");
  CHECK(nlohmann::json::parse(started.last_line()).at("step") == 6);
  CHECK(started.out.find('\n') == started.out.size() - 1);  // one rank speaks
  const std::string note = "--readers 1000 is more than 16 for each core here; ";
  if (16 * available_cores() < 1000) {
    CHECK_CONTAINS(started.err, note);
    CHECK(started.err.find(note) == started.err.rfind(note));
  }

  std::vector<std::string> first{"/usr/bin/env", "WORLD_SIZE=2", "LOCAL_WORLD_SIZE=2",
                                 "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + free_port()};
  std::vector<std::string> second = first;
  first.insert(first.end(), {"RANK=0", "LOCAL_RANK=0"});
  second.insert(second.end(), {"RANK=1", "LOCAL_RANK=1"});
  RunningProgram other(joined(second, words("torchrun")));
  const ProgramResult torchrun = run(joined(first, words("torchrun")));
  check_run("torchrun", torchrun);
  CHECK(contains(torchrun.err, "one of 2 ranks (torchrun)"));
  CHECK(other.wait().exit_code == 0);
}

TEST_CASE("a signal ends a rank that waits for the others, the first one as any other") {
  const TrainerBench bench;
  for (const std::string rank : {"0", "1"}) {
    CAPTURE(rank);
    RunningProgram waits(
        joined({"/usr/bin/env", "WORLD_SIZE=2", "LOCAL_WORLD_SIZE=1", "MASTER_ADDR=127.0.0.1",
                "MASTER_PORT=" + free_port(), "RANK=" + rank, "LOCAL_RANK=0"},
               fit(bench, "run", {})));
    const auto begun = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::seconds(3));
    waits.send(SIGTERM);
    const ProgramResult result = waits.wait();
    CHECK(result.exit_code == 143);
    CHECK(result.err.find("Exception raised") == std::string::npos);
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(60));
  }
}

TEST_CASE("ranks that do not train the same are told in what they differ") {
  const TrainerBench bench;
  DrawnStore{.train = 9, .val = 3}.publish(bench.folder / "other");
  const auto refused = [&](const std::string& store, const std::vector<std::string>& more,
                           const std::string& text) {
    std::vector<std::string> words = joined(fit(bench, "other_run", {"--resume"}), more);
    std::ranges::replace(words, bench.path("store"), bench.path(store));
    const std::vector<std::string> launched{"/usr/bin/env", "WORLD_SIZE=2", "LOCAL_WORLD_SIZE=2",
                                            "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + free_port()};
    RunningProgram other(joined(joined(launched, {"RANK=1", "LOCAL_RANK=1"}), words));
    const ProgramResult result =
        run(joined(joined(launched, {"RANK=0", "LOCAL_RANK=0"}), fit(bench, "run", {"--resume"})));
    CHECK(result.exit_code == 78);
    CHECK_CONTAINS(result.err, "ranks of one run: rank 1 has " + text);
    CHECK(other.wait().exit_code == 78);
  };
  refused("store", {"--lr", "0.5"}, "--lr 0.5, rank 0 has --lr ");
  refused("other", {}, "snapshot ");
  REQUIRE(run(fit(bench, "run", {"--epochs", "1"})).exit_code == 0);
  refused("store", {}, "last.safetensors \"none\", rank 0 has last.safetensors ");
}

TEST_CASE("two ranks of mpirun train as one process does" * doctest::test_suite("needs mpirun")) {
  if (!std::filesystem::exists("/usr/bin/mpirun"))
    return skip("no mpirun here; scripts/setup.sh --tests installs it");
  const OneAndTwo both;
  both.check("mpirun",
             run(joined({"/usr/bin/mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"},
                        both.words("mpirun"))));
}

TEST_CASE("a rank that is killed ends the run with its name, its step and 128 + signal") {
  RunningRanks running;
  const Watch watch;
  kill(running.ranks.at("1"), SIGKILL);
  const ProgramResult result = running.program.wait();
  CHECK(watch.seconds() < 60);
  CHECK(result.exit_code == 128 + SIGKILL);
  CHECK_MESSAGE(contains(result.err, "letterpress-trainer fit: rank 1 of 2 was killed in step "),
                result.err);
  CHECK_MESSAGE(contains(result.err, " by signal 9 (Killed); was memory short?"), result.err);
  CHECK_MESSAGE(contains(result.err, "letterpress-trainer fit: rank 0 of 2, step "), result.err);
  CHECK_MESSAGE(contains(result.err, ": lost the other ranks: one of the 2 has ended"), result.err);
  CHECK_FALSE(is_alive(running.ranks.at("0")));
  const ProgramResult resumed = run(fit(running.bench, "run", {"--resume", "--epochs", "1"}));
  CHECK_MESSAGE(resumed.exit_code == 0, resumed.err);  // the checkpoint is whole
}

TEST_CASE("a rank that is stopped is named, not the one that waits for it, and the run ends") {
  RunningRanks running({"--rank-deadline", "8", "--read-deadline", "3"});
  const Watch watch;
  kill(running.ranks.at("1"), SIGSTOP);
  const ProgramResult result = running.program.wait();
  CHECK(watch.seconds() < 60);
  CHECK(result.exit_code == 128 + SIGKILL);
  CHECK_MESSAGE(contains(result.err, "letterpress-trainer fit: rank 1 of 2 hung in step "),
                result.err);
  CHECK_MESSAGE(
      contains(result.err,
               " s while the others waited for it, and was killed; was its process stopped"),
      result.err);
  for (const auto& [rank, process] : running.ranks) CHECK_FALSE(is_alive(process));
}

TEST_CASE("Ctrl-Z stops the ranks too, for as long as one likes; then the run goes on") {
  RunningRanks running({"--rank-deadline", "4", "--read-deadline", "0.5"});
  running.program.send(SIGTSTP);
  std::vector<pid_t> all{running.program.id()};
  for (const auto& [rank, process] : running.ranks) all.push_back(process);
  const auto stopped = [&](pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    std::getline(file, line);
    return line.substr(line.rfind(')') + 2, 1) == "T";
  };
  for (const pid_t process : all)
    CHECK(running.program.wait_until([&] { return stopped(process); }));
  std::this_thread::sleep_for(std::chrono::seconds(6));  // more than the deadlines
  const auto checkpoint = running.bench.folder / "run/last.safetensors";
  for (int i = 0; i < 2; ++i) {
    const auto before = std::filesystem::last_write_time(checkpoint);
    running.program.send(SIGCONT);
    CHECK(running.program.wait_until(
        [&] { return std::filesystem::last_write_time(checkpoint) != before; }));
  }
  for (const pid_t process : all) CHECK_FALSE(stopped(process));
  running.program.send(SIGTERM);
  const ProgramResult result = running.program.wait();
  CHECK_MESSAGE(result.exit_code == 143, result.err);
}

TEST_CASE("when the parent is killed, no rank stays behind") {
  RunningRanks running;
  running.program.send(SIGKILL);
  running.program.wait();
  const Watch watch;
  for (const auto& [rank, process] : running.ranks) {
    while (is_alive(process) && watch.seconds() < 60) sched_yield();
    CHECK_FALSE(is_alive(process));
  }
}

TEST_CASE(
    "SIGTERM to the parent: a checkpoint, then 143, and the run goes on with another number of "
    "ranks") {
  RunningRanks running;
  running.program.send(SIGTERM);
  const ProgramResult result = running.program.wait();
  CHECK_MESSAGE(result.exit_code == 143, result.err);
  CHECK_MESSAGE(contains(result.err, "stopped by a signal at step "), result.err);
  CHECK_FALSE(contains(result.err, "ended with exit code"));
  const ProgramResult resumed =
      run(fit(running.bench, "run", {"--resume", "--ranks", "3", "--time-budget", "0.0001"}));
  CHECK_MESSAGE(resumed.exit_code == 0, resumed.err);
  CHECK_MESSAGE(contains(resumed.err, "one of 3 ranks (--ranks)"), resumed.err);
}

TEST_CASE("a damaged row ends the run with rank, step, shard and row") {
  const TrainerBench bench;
  for (const auto& entry : std::filesystem::directory_iterator(bench.folder / "store/shards")) {
    std::int64_t first = 0;
    {
      const ShardReader shard(entry.path());
      if (shard.rows() != 8) continue;  // of the val split
      first = shard.stored_pixels(0).offset + 5 * shard.image_bytes();
    }
    std::filesystem::permissions(entry.path(), std::filesystem::perms::owner_all);
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(first + 7);
    file.put('\1');
  }
  const Watch watch;
  const ProgramResult result = run(fit(bench, "run", {"--epochs", "1", "--ranks", "2", "--json"}));
  CHECK(watch.seconds() < 60);
  CHECK(result.exit_code == 65);
  CHECK(result.out == "");  // one object per rank would help nobody
  CHECK_MESSAGE(contains(result.err, "letterpress-trainer fit: rank "), result.err);
  CHECK_MESSAGE(contains(result.err, " of 2, step "), result.err);
  CHECK_MESSAGE(contains(result.err, ".h5: row 5 (train5.png)"), result.err);
  CHECK_MESSAGE(contains(result.err, " ended with exit code 65 in step "), result.err);
}

TEST_CASE("a wrong wish ends before anything is started") {
  const TrainerBench bench;
  const auto check = [&](int code, const std::vector<std::string>& more, const std::string& text) {
    CAPTURE(text);
    const ProgramResult result = run(fit(bench, "r", more));
    CHECK(result.exit_code == code);
    CHECK_MESSAGE(contains(result.err, "letterpress-trainer fit: " + text), result.err);
    CHECK_FALSE(std::filesystem::exists(bench.folder / "r"));
  };
  check(64, {"--ranks", "0"}, "--ranks is 0, must be 1 or more");
  check(78, {"--ranks", "5"}, "--batch 4 over 5 ranks leaves some without a picture");
  check(64, {"--gpus", "some"}, "--gpus is 'some', must be all or a number from 1; there ");
  check(78, {"--devices", "99"}, "--devices 99: device 99 does not exist; there ");
}
