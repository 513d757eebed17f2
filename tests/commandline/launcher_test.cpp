#include "letterpress/commandline/launcher.h"

#include <doctest/doctest.h>

#include <map>

#include "letterpress/base/error.h"

using namespace letterpress;

namespace {

using Variables = std::map<std::string, std::string>;

Environment environment_of(const Variables& variables) {
  return [variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

std::string launched(const Variables& variables) {
  const Environment environment = environment_of(variables);
  const Launcher* launcher = find_launcher(environment, [](const Launcher&) { return true; });
  if (!launcher) return "none";
  const LaunchedProcess process = launched_process(*launcher, environment, "look");
  return launcher->name + std::string(" ") + std::to_string(process.index) + "/" +
         std::to_string(process.count);
}

const Variables kMpi{{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}},
    kPmi{{"PMI_RANK", "5"}, {"PMI_SIZE", "6"}},
    kScript{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "3"}};

Variables both(Variables variables, const Variables& more) {
  variables.insert(more.begin(), more.end());
  return variables;
}

}  // namespace

TEST_CASE("each launcher's variables tell index and count; one that tells no count gives 0") {
  CHECK(launched({}) == "none");
  CHECK(launched({{"RANK", "2"}, {"WORLD_SIZE", "4"}}) == "torchrun 2/4");
  CHECK(launched(kMpi) == "mpirun 0/2");
  CHECK(launched(kPmi) == "mpirun 5/6");
  CHECK(launched(both(kScript, {{"SLURM_STEP_ID", "0"}})) == "srun 0/3");
  CHECK(launched({{"JOB_COMPLETION_INDEX", "7"}}) == "Kubernetes Indexed Job 7/0");
  CHECK(launched({{"AWS_BATCH_JOB_ARRAY_INDEX", "1"}}) == "AWS Batch array 1/0");
}

TEST_CASE("the first launcher that is set wins: MPI's before Slurm's, srun before an array") {
  CHECK(launched(both(kPmi, kMpi)) == "mpirun 0/2");
  const Variables step = both(kScript, {{"SLURM_STEP_ID", "0"}});
  CHECK(launched(both(step, kMpi)) == "mpirun 0/2");
  CHECK(launched(both(step, {{"SLURM_ARRAY_TASK_ID", "1"}, {"SLURM_ARRAY_TASK_COUNT", "8"}})) ==
        "srun 0/3");
}

TEST_CASE("srun whose plugin sets PMI's variables is srun, the shell of an interactive step none") {
  const Variables step = both(kScript, {{"SLURM_STEP_ID", "0"}});
  CHECK(launched(both(step, {{"PMI_RANK", "0"}, {"PMI_SIZE", "3"}})) == "srun 0/3");
  CHECK(launched(both(step, kPmi)) == "mpirun 5/6");  // mpirun within the step
  CHECK(launched(both(step, {{"SLURM_STEP_NUM_TASKS", "3"}})) == "srun 0/3");
  CHECK(launched(both(step, {{"SLURM_STEP_NUM_TASKS", "1"}})) == "none");
}

TEST_CASE("a batch script's own SLURM_PROCID is not a process of srun and hides no launcher") {
  CHECK(launched(kScript) == "none");
  CHECK(launched(both(kScript, kMpi)) == "mpirun 0/2");
  CHECK(launched(both(kScript, kPmi)) == "mpirun 5/6");
  CHECK(launched(both(kScript, {{"SLURM_ARRAY_TASK_ID", "3"}, {"SLURM_ARRAY_TASK_COUNT", "8"}})) ==
        "Slurm array 3/8");
}

TEST_CASE("a Slurm array may start anywhere and count in steps") {
  CHECK(launched({{"SLURM_ARRAY_TASK_ID", "1"},
                  {"SLURM_ARRAY_TASK_MIN", "1"},
                  {"SLURM_ARRAY_TASK_COUNT", "4"}}) == "Slurm array 0/4");
  Variables steps{{"SLURM_ARRAY_TASK_ID", "10"},
                  {"SLURM_ARRAY_TASK_MIN", "4"},
                  {"SLURM_ARRAY_TASK_STEP", "3"},
                  {"SLURM_ARRAY_TASK_COUNT", "3"}};
  CHECK(launched(steps) == "Slurm array 2/3");
  steps["SLURM_ARRAY_TASK_ID"] = "5";  // between two of its steps
  CHECK(launched(steps) == "Slurm array 3/3");
}

TEST_CASE("a caller leaves launchers out") {
  const Environment environment = environment_of({{"JOB_COMPLETION_INDEX", "7"}});
  CHECK(find_launcher(environment, [](const Launcher& one) { return one.starts_ranks; }) ==
        nullptr);
}

TEST_CASE("a variable that is set but empty counts as unset") {
  CHECK(launched(both({{"RANK", ""}, {"WORLD_SIZE", ""}}, kPmi)) == "mpirun 5/6");
  CHECK(launched({{"SLURM_ARRAY_TASK_ID", "2"},
                  {"SLURM_ARRAY_TASK_COUNT", "4"},
                  {"SLURM_ARRAY_TASK_MIN", ""}}) == "Slurm array 2/4");
  CHECK(launched({{"JOB_COMPLETION_INDEX", ""}}) == "none");
  CHECK(whole_number_or(environment_of({{"MASTER_PORT", ""}}), "MASTER_PORT", 7) == 7);
}

TEST_CASE("a variable that is not a whole number from 0 is named, with the caller's fix") {
  for (const std::string bad : {"x", "-1", "1.5", "4x"}) {
    CAPTURE(bad);
    CHECK_THROWS_WITH_AS(
        launched({{"RANK", bad}, {"WORLD_SIZE", "2"}}),
        doctest::Contains(("RANK=" + bad + ": must be a whole number, 0 or more; look").c_str()),
        Error);
  }
}
