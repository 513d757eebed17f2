#include "trainer/parallel/rank_assignment.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "letterpress/base/error.h"

using namespace letterpress;

namespace {

using Variables = std::map<std::string, std::string>;

RankAssignment assigned(const Variables& variables) {
  return rank_assignment([&](const char* name) {
    return variables.contains(name) ? variables.at(name).c_str() : nullptr;
  });
}

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more) variables[name] = value;
  return variables;
}

const Variables kTorchrun{{"RANK", "1"},
                          {"WORLD_SIZE", "4"},
                          {"LOCAL_RANK", "1"},
                          {"MASTER_ADDR", "a"},
                          {"MASTER_PORT", "29500"},
                          {"LOCAL_WORLD_SIZE", "2"},
                          {"TORCHELASTIC_RUN_ID", "none"}};
const Variables kMpirun{{"OMPI_COMM_WORLD_RANK", "2"},
                        {"OMPI_COMM_WORLD_SIZE", "3"},
                        {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
                        {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"},
                        {"OMPI_MCA_ess_base_jobid", "1234"}};
const Variables kSrun{{"SLURM_PROCID", "5"},         {"SLURM_NTASKS", "8"},
                      {"SLURM_LOCALID", "1"},        {"SLURM_STEP_NODELIST", "gpu[07-08]"},
                      {"SLURM_STEP_ID", "0"},        {"SLURM_JOB_ID", "9"},
                      {"SLURM_NTASKS_PER_NODE", "4"}};

}  // namespace

TEST_CASE("without a launcher a process is alone") {
  const RankAssignment assignment = assigned({});
  CHECK(assignment.world_size == 1);
  CHECK(assignment.launcher.empty());
}

TEST_CASE("torchrun's variables say rank, host and port, and whether it keeps the store") {
  const RankAssignment assignment = assigned(kTorchrun);
  CHECK(assignment.rank == 1);
  CHECK(assignment.world_size == 4);
  CHECK(assignment.local_rank == 1);
  CHECK(assignment.local_world_size == 2);
  CHECK(assignment.address == "a");
  CHECK(assignment.port == 29500);
  CHECK(assignment.launcher == "torchrun");
  CHECK_FALSE(assignment.store_runs);
  CHECK(assigned(with(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "True"}})).store_runs);
  CHECK_FALSE(assigned(with(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "False"}})).store_runs);
  CHECK(
      assigned(with(kTorchrun, {{"LETTERPRESS_SUPERVISOR", "17"}, {"LETTERPRESS_LISTENING", "5"}}))
          .launcher == "--ranks");
}

TEST_CASE("a rank under a supervisor has its board; a variable that is no number is refused") {
  CHECK(assigned(kTorchrun).board == -1);
  CHECK(assigned(with(kTorchrun, {{"LETTERPRESS_STEPS", "7"}})).board == 7);
  CHECK_THROWS_WITH_AS(assigned(with(kTorchrun, {{"LETTERPRESS_STEPS", "x"}})),
                       "LETTERPRESS_STEPS=x: must be a whole number, 0 or more", Error);
}

TEST_CASE("whether a rank knows its number on the host, and sees a device of its own") {
  CHECK(assigned(kTorchrun).knows_local_rank);
  const RankAssignment by_hand = assigned(with(kTorchrun, {{"LOCAL_RANK", ""}}));
  CHECK_FALSE(by_hand.knows_local_rank);
  CHECK(by_hand.local_rank == 0);
  const Variables hydra{{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "2"}};
  CHECK_FALSE(assigned(hydra).knows_local_rank);
  CHECK(assigned(with(hydra, {{"MPI_LOCALRANKID", "1"}})).knows_local_rank);
  CHECK_FALSE(assigned(kSrun).sees_one_device);
  CHECK(assigned(with(kSrun, {{"CUDA_VISIBLE_DEVICES", "3"}})).sees_one_device);
  CHECK_FALSE(assigned(with(kSrun, {{"CUDA_VISIBLE_DEVICES", "0,1"}})).sees_one_device);
  CHECK_FALSE(assigned(with(kTorchrun, {{"CUDA_VISIBLE_DEVICES", "0"}})).sees_one_device);
  const Variables set_by_hand = with(kTorchrun, {{"TORCHELASTIC_RUN_ID", ""}});
  CHECK(assigned(with(set_by_hand, {{"CUDA_VISIBLE_DEVICES", "1"}})).sees_one_device);
  CHECK_FALSE(assigned(with(set_by_hand, {{"CUDA_VISIBLE_DEVICES", "0,1"}})).sees_one_device);
}

TEST_CASE("mpirun's ranks on one host meet there, at a port of the job's own") {
  const RankAssignment assignment = assigned(kMpirun);
  CHECK(assignment.rank == 2);
  CHECK(assignment.world_size == 3);
  CHECK(assignment.launcher == "mpirun");
  CHECK(assignment.address == "127.0.0.1");
  CHECK(assignment.port >= 20000);
  CHECK(assignment.port < 32000);
  CHECK(assigned(with(kMpirun, {{"OMPI_COMM_WORLD_RANK", "0"}})).port == assignment.port);
  CHECK(assigned(with(kMpirun, {{"OMPI_MCA_ess_base_jobid", "1235"}})).port != assignment.port);
  CHECK(assigned(with(kMpirun, {{"MASTER_ADDR", "head"}, {"MASTER_PORT", "4000"}})).address ==
        "head");
  CHECK(assigned(with(kMpirun, {{"MASTER_PORT", "4000"}})).port == 4000);
  CHECK(assigned({{"PMI_RANK", "1"},
                  {"PMI_SIZE", "2"},
                  {"MPI_LOCALRANKID", "1"},
                  {"MPI_LOCALNRANKS", "2"}})
            .rank == 1);
  const auto port_of = [](const char* job) {
    return assigned({{"PMI_RANK", "1"},
                     {"PMI_SIZE", "2"},
                     {"PMI_JOBID", job},
                     {"MPI_LOCALRANKID", "1"},
                     {"MPI_LOCALNRANKS", "2"}})
        .port;
  };
  CHECK(port_of("7") == port_of("7"));
  CHECK(port_of("7") != port_of("8"));
}

TEST_CASE("srun's ranks meet on the first host of the step; a batch script itself is not a rank") {
  const RankAssignment assignment = assigned(kSrun);
  CHECK(assignment.rank == 5);
  CHECK(assignment.world_size == 8);
  CHECK(assignment.local_rank == 1);
  CHECK(assignment.local_world_size == 4);
  CHECK(assignment.address == "gpu07");
  CHECK(assignment.launcher == "srun");
  CHECK(
      assigned({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "9"}}).world_size ==
      1);
  CHECK(assigned(with(kSrun, kMpirun)).launcher == "mpirun");  // mpirun inside of a Slurm job
  for (const auto& [nodes, first] : Variables{
           {"a", "a"}, {"a,b", "a"}, {"n[3-5,9],x", "n3"}, {"n[12],x", "n12"}, {"x,n[1-2]", "x"}}) {
    CAPTURE(nodes);
    CHECK(first_host(nodes) == first);
  }
}

TEST_CASE("a variable that is missing or malformed is named") {
  const auto complains = [](const Variables& variables, const std::string& text) {
    CHECK_THROWS_WITH_AS(assigned(variables), doctest::Contains(text.c_str()), Error);
  };
  complains(with(kTorchrun, {{"RANK", "4"}}),
            "RANK=4 and WORLD_SIZE=4: ranks count from 0 and must be less than the world size");
  complains(with(kTorchrun, {{"WORLD_SIZE", "two"}}),
            "WORLD_SIZE=two: must be a whole number, 0 or more");
  complains(with(kTorchrun, {{"MASTER_PORT", ""}}),
            "MASTER_PORT=: must be a whole number, 0 or more");
  for (const char* port : {"0", "65536", "95170"})
    complains(with(kTorchrun, {{"MASTER_PORT", port}}),
              std::string("MASTER_PORT=") + port + ": must be a port, 1 to 65535");
  complains(with(kTorchrun, {{"MASTER_ADDR", ""}}),
            "torchrun started 4 ranks, 2 of them here, but MASTER_ADDR is not set");
  complains(with(kMpirun, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}),
            "set it to the host of rank 0 (mpirun -x MASTER_ADDR=HOST)");
}

TEST_CASE("ranks of one host share its cores, unless the launcher gave each its own") {
  const auto threads = [](const char* launcher, int local_world_size, int bound, int online) {
    return threads_of_rank({.local_world_size = local_world_size, .launcher = launcher}, bound,
                           online);
  };
  CHECK(threads("--ranks", 2, 2, 2) == 1);
  CHECK(threads("--ranks", 3, 2, 64) == 1);
  CHECK(threads("torchrun", 4, 64, 64) == 16);
  CHECK(threads("mpirun", 8, 8, 64) == 8);
  CHECK(threads("mpirun", 8, 64, 64) == 8);
  CHECK(threads("srun", 2, 1, 64) == 1);
  CHECK(threads("mpirun", 2, 4, 4) == 2);  // a container that grants the time of 4 cores
}
