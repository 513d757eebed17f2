#include "preprocess/pipeline/part.h"

#include <doctest/doctest.h>

#include <map>

#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

Part launched(const std::map<std::string, std::string>& variables, int n = 0) {
  return part_of_launcher(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      n);
}

std::string text(const Part& part) {
  return std::to_string(part.index) + "/" + std::to_string(part.n) + " " + part.source;
}

}  // namespace

TEST_CASE("--part i/n counts from 0") {
  CHECK(text(parse_part("0/1")) == "0/1 --part");
  CHECK(text(parse_part("3/4")) == "3/4 --part");
  for (const std::string bad : {"4/4", "-1/4", "1", "1/", "/4", "1/0", "a/b", "1/4x", "1.5/4"}) {
    CHECK(message_of([&] { parse_part(bad); }) ==
          "64 --part " + bad + ": must be i/n with i from 0 to n - 1, for instance 0/4");
  }
}

TEST_CASE("a part says which variables gave it") {
  CHECK(text(launched({{"RANK", "2"}, {"WORLD_SIZE", "4"}})) == "2/4 RANK and WORLD_SIZE");
  CHECK(text(launched({{"JOB_COMPLETION_INDEX", "7"}}, 8)) ==
        "7/8 JOB_COMPLETION_INDEX and --parts");
}

TEST_CASE(
    "a batch script of several tasks is not a part outside srun, nor is a task of an array that "
    "srun "
    "starts alone") {
  std::map<std::string, std::string> script{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}};
  CHECK(message_of([&] {
          launched(script);
        }).starts_with("64 no --part given, and no launcher has set"));
  script["SLURM_STEP_ID"] = "0";
  CHECK(launched(script).n == 4);
  script["SLURM_NTASKS"] = "1";
  script["SLURM_ARRAY_TASK_ID"] = "3";
  script["SLURM_ARRAY_TASK_COUNT"] = "8";
  CHECK(text(launched(script)) == "3/8 SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT");
}

TEST_CASE("what cannot be a part is refused with the variable and a fix") {
  CHECK(message_of([] { launched({}); })
            .starts_with("64 no --part given, and no launcher has set its variables (torchrun, "
                         "Open MPI, PMI, Slurm's srun or array, "));
  CHECK(
      message_of([] {
        launched({{"JOB_COMPLETION_INDEX", "0"}});
      }) ==
      "64 JOB_COMPLETION_INDEX is set, but does not tell how many parts there are; add --parts N");
  CHECK(message_of([] {
          launched({{"RANK", "x"}, {"WORLD_SIZE", "2"}});
        }) == "64 RANK=x: must be a whole number, 0 or more; pass --part i/n instead");
  CHECK(message_of([] {
          launched({{"RANK", "2"}, {"WORLD_SIZE", "2"}});
        }).starts_with("64 RANK and WORLD_SIZE: got part 2 of 2, parts must count from 0"));
  CHECK(message_of([] {
          launched({{"SLURM_ARRAY_TASK_ID", "5"},  // between two steps of the array
                    {"SLURM_ARRAY_TASK_MIN", "4"},
                    {"SLURM_ARRAY_TASK_STEP", "3"},
                    {"SLURM_ARRAY_TASK_COUNT", "3"}});
        }).find("count from 0 without gaps") != std::string::npos);
}

TEST_CASE("every group is one part's, whatever the number of parts") {
  Plan plan;
  for (const int group : {0, 0, 1, 2, 2, 3, 4}) plan.shards.push_back({.index = 0, .group = group});
  for (const int n : {1, 2, 3, 9}) {
    std::vector<int> makers(plan.shards.size(), 0);
    for (int i = 0; i < n; ++i) {
      const std::vector<bool> others = shards_of_others(plan, {i, n, ""});
      for (std::size_t shard = 0; shard < makers.size(); ++shard)
        makers[shard] += others[shard] ? 0 : 1;
      CHECK(others[0] == others[1]);
    }
    CHECK(makers == std::vector<int>(plan.shards.size(), 1));
  }
}

}  // namespace letterpress
