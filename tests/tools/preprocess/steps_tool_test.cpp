#include <doctest/doctest.h>

#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/preprocess/published_files.h"
#include "tests/skip.h"
#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

// The words of `command` for a set of several groups of shards.
std::vector<std::string> words_of(const DrawnSet& set, const std::string& command,
                                  const std::string& store) {
  std::vector<std::string> words = build_words(set, {"--shard-bytes", "50k"});
  words[0] = command;
  words[2] = (set.folder / store).string();
  words.insert(words.begin(), program_path("letterpress-preprocess"));
  return words;
}

// `plan` into "store"; the path that it prints.
std::string planned(const DrawnSet& set) {
  const ProgramResult result = run(words_of(set, "plan", "store"));
  REQUIRE(result.exit_code == 0);
  REQUIRE(result.last_line().starts_with("plan "));
  return result.last_line().substr(5);
}

}  // namespace

TEST_CASE("parallel processes, one of them run twice, make what one build makes") {
  DrawnSet set;
  set.pictures(12);
  REQUIRE(run(words_of(set, "build", "single")).exit_code == 0);
  const std::string plan = planned(set);
  std::vector<std::unique_ptr<RunningProgram>> programs;
  for (const char* part : {"3/4", "1/4", "0/4", "1/4", "2/4"}) {
    programs.push_back(std::make_unique<RunningProgram>(
        std::vector<std::string>{program_path("letterpress-preprocess"), "map", "--plan", plan,
                                 "--part", part, "--threads", "1"}));
  }
  for (const auto& program : programs) CHECK(program->wait().exit_code == 0);
  const ProgramResult reduced =
      preprocess({"reduce", "--store", (set.folder / "store").string(), "--json"});
  CHECK(reduced.exit_code == 0);
  CHECK(nlohmann::json::parse(reduced.last_line()).at("outcome") == "published");
  CHECK(published_files(set.folder / "store") == published_files(set.folder / "single"));
}

TEST_CASE(
    "plan says how many shards there are and how many parts have something to do, and both are "
    "so") {
  DrawnSet set;
  set.pictures(12);
  std::vector<std::string> words = words_of(set, "plan", "store");
  words.push_back("--json");
  const ProgramResult result = run(words);
  const auto json = nlohmann::json::parse(result.last_line());
  const auto shards = json.at("shards_new").get<std::int64_t>(),
             groups = json.at("groups").get<std::int64_t>();
  const std::string n = std::to_string(groups), plan = json.at("plan");
  CHECK(result.out.find(": planned: " + std::to_string(shards) + " shards in " + n +
                        " groups, each of which one part makes; for each part "
                        "`letterpress-preprocess map --plan P --part i/n` with n up to " +
                        n + " (more would have nothing to do), then `reduce --plan P`\nplan " +
                        plan + "\n") != std::string::npos);
  const ProgramResult early = preprocess({"reduce", "--plan", plan});
  CHECK(early.exit_code == 75);
  CHECK(early.err.find(": of " + std::to_string(shards) +
                       " shards these are not finished: 0, 1, ") != std::string::npos);
  std::int64_t made = 0;
  for (std::int64_t i = 0; i <= groups; ++i) {
    const ProgramResult part =
        preprocess({"map", "--plan", plan, "--part",
                    std::to_string(i) + "/" + std::to_string(groups + 1), "--json"});
    const auto own = nlohmann::json::parse(part.last_line()).at("shards").get<std::int64_t>();
    CHECK((own > 0) == (i < groups));
    made += own;
  }
  CHECK(made == shards);
}

TEST_CASE("ranks of Open MPI find their parts and make what one build makes" *
          doctest::test_suite("needs mpirun")) {
  const std::string mpirun = "/usr/bin/mpirun";
  if (!fs::exists(mpirun)) return skip("no mpirun here; scripts/setup.sh --tests installs it");
  DrawnSet set;
  set.pictures(12);
  REQUIRE(run(words_of(set, "build", "single")).exit_code == 0);
  const std::string plan = planned(set);
  const ProgramResult mapped =
      run({mpirun, "-np", "4", "--oversubscribe", "--allow-run-as-root", "--timeout", "600",
           program_path("letterpress-preprocess"), "map", "--plan", plan, "--threads", "1"});
  CHECK(mapped.exit_code == 0);
  CHECK(mapped.err.find("part 3/4, from OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE") !=
        std::string::npos);
  CHECK(preprocess({"reduce", "--plan", plan}).exit_code == 0);
  CHECK(published_files(set.folder / "store") == published_files(set.folder / "single"));
}

TEST_CASE("map and reduce say what they did and what they miss") {
  DrawnSet set;
  set.pictures(12);
  const std::string plan = planned(set);
  const ProgramResult mapped = preprocess({"map", "--plan", plan, "--part", "0/2", "--json"});
  CHECK(mapped.err.starts_with("part 0/2, from --part\n"));
  CHECK(mapped.out.find("part 0/2: ") != std::string::npos);
  CHECK(nlohmann::json::parse(mapped.last_line()).at("outcome") == "mapped");
  const ProgramResult missing = preprocess({"reduce", "--plan", plan});
  CHECK(missing.exit_code == 75);
  CHECK(missing.err.find("; run `map` again for --part 1/2") != std::string::npos);
  CHECK(
      preprocess({"map", "--part", "0/2"})
          .err.find("no --plan given; name the file that `letterpress-preprocess plan` printed") !=
      std::string::npos);
  CHECK(preprocess({"reduce"}).err.find("neither --plan nor --store given") != std::string::npos);
  CHECK(preprocess({"map", "--plan", plan, "--part", "2/2"}).exit_code == 64);
  const ProgramResult disagreement =
      preprocess({"map", "--plan", plan, "--part", "0/2", "--parts", "3"});
  CHECK(disagreement.exit_code == 64);
  CHECK(disagreement.err.find(
            "--parts 3: --part says that there are 2; leave --parts out, or say --part i/3") !=
        std::string::npos);
  CHECK(preprocess({"map", "--plan", plan, "--part", "0/2", "--parts", "2"}).exit_code == 0);
  CHECK(preprocess({"map", "--plan", plan, "--part", "0/2", "--threads", "4097"})
            .err.find("--threads is 4097, must be 0 (all cores) to 4096") != std::string::npos);
  CHECK(preprocess({"map", "--plan", "/nowhere/plan.h5", "--part", "0/1"}).exit_code == 66);
}

TEST_CASE(
    "a limit on the size of files ends a build with 74, the file and the limit, not with a "
    "signal") {
  DrawnSet set;
  set.pictures(3);
  std::string command = "ulimit -f 16; exec";
  for (const std::string& word : words_of(set, "build", "store")) command += " '" + word + "'";
  const ProgramResult result = run({"/bin/sh", "-c", command});
  CAPTURE(result.err);
  CHECK(result.exit_code == 74);
  CHECK(result.err.find("File too large; raise the limit of a file's size (ulimit -f)") !=
        std::string::npos);
}

TEST_CASE("while one builder works the others leave with 75 and name the lock; the one publishes") {
  DrawnSet set;
  set.pictures(12);
  std::vector<std::string> words = words_of(set, "build", "store");
  words.insert(words.end(), {"--threads", "1"});
  words[9] = "416";
  words[11] = "10";  // views
  const fs::path store = set.folder / "store";
  RunningProgram first(words);
  // The plan lies there while the lock is held. Stopped, it holds it as long as we like.
  const auto is_at_work = [&] {
    return fs::exists(store / "plans") && !fs::is_empty(store / "plans");
  };
  REQUIRE(first.wait_until(is_at_work));
  first.send(SIGSTOP);
  REQUIRE(is_at_work());
  for (int other = 0; other < 3; ++other) {
    const ProgramResult result = run(words);
    CHECK(result.exit_code == 75);
    CHECK(result.err.find((store / "lock").string() +
                          ": another process holds this lock; wait for it to end and try again") !=
          std::string::npos);
  }
  CHECK(Store::open(store).generations().empty());
  first.send(SIGCONT);
  CHECK(first.wait().exit_code == 0);
  CHECK(Store::open(store).generations() == std::vector<std::int64_t>{1});
}

TEST_CASE(
    "builders that start together: each does the work, finds it done or leaves with 75; one "
    "snapshot stands") {
  DrawnSet set;
  set.pictures(12);
  std::vector<std::unique_ptr<RunningProgram>> programs;
  for (int i = 0; i < 4; ++i)
    programs.push_back(std::make_unique<RunningProgram>(words_of(set, "build", "store")));
  int done = 0;
  for (const auto& program : programs) {
    const ProgramResult result = program->wait();
    CAPTURE(result.err);
    CHECK((result.exit_code == 0 || result.exit_code == 75));
    done += result.exit_code == 0 ? 1 : 0;
  }
  CHECK(done >= 1);
  CHECK(Store::open(set.folder / "store").generations() == std::vector<std::int64_t>{1});
  CHECK(preprocess({"verify", "--deep", "--store", (set.folder / "store").string()}).exit_code ==
        0);
}

TEST_CASE(
    "a first build that ended before its snapshot goes on without being told its flags again") {
  DrawnSet set;
  set.pictures(4);
  std::vector<std::string> words = build_words(set);
  words[0] = "plan";
  REQUIRE(preprocess(words).exit_code == 0);
  const std::string store = (set.folder / "store").string();
  const ProgramResult result = preprocess({"build", "--store", store});
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("snapshot 1 published") != std::string::npos);
  const Snapshot snapshot = Store::open(store).latest().value();
  CHECK(snapshot.identity.side == 64);
  CHECK(snapshot.views == 2);
}

}  // namespace letterpress
