#pragma once
#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/listening_socket.h"
#include "tests/tools/trainer/trained_run.h"

namespace letterpress {

inline std::vector<std::string> joined(std::vector<std::string> words,
                                       const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// letterpress-trainer fit of batches of 4 on the CPU.
inline std::vector<std::string> fit(const TrainerBench& bench, const std::string& run,
                                    const std::vector<std::string>& more) {
  return joined({program_path("letterpress-trainer"), "fit", "--store", bench.path("store"),
                 "--out", bench.path(run), "--batch", "4", "--device", "cpu"},
                more);
}

/// PyTorch's own torchrun, of two ranks on this host, in front of a program; empty without PyTorch.
inline std::vector<std::string> torchrun() {
  const std::string torch = LETTERPRESS_SOURCE_DIR "/.deps/torch";
  if (!std::filesystem::exists(torch + "/torch/distributed/run.py")) return {};
  std::vector<std::string> words{"/usr/bin/env", "PYTHONPATH=" + torch, LETTERPRESS_TEST_PYTHON};
  std::istringstream flags(
      "-m torch.distributed.run --nnodes 1 --nproc-per-node 2 --rdzv-backend c10d --rdzv-endpoint "
      "127.0.0.1:0 --rdzv-id letterpress --local-addr 127.0.0.1 --no-python");
  for (std::string flag; flags >> flag;) words.push_back(flag);
  return words;
}

/// Processes whose parent is `parent`, by the rank that `variable` of their environment says.
inline std::map<std::string, pid_t> ranks_of(pid_t parent, const std::string& variable) {
  std::map<std::string, pid_t> ranks;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ostringstream stat, variables;
    stat << std::ifstream(entry.path() / "stat").rdbuf();
    variables << std::ifstream(entry.path() / "environ", std::ios::binary).rdbuf();
    const std::string after_name =
        stat.str().substr(std::min(stat.str().size(), stat.str().rfind(')') + 1));
    std::istringstream fields(after_name);
    std::string state;
    pid_t its_parent = 0;
    fields >> state >> its_parent;
    const std::string text = '\0' + variables.str();
    const std::string wanted = '\0' + variable + "=";
    const std::size_t rank = text.find(wanted);
    if (its_parent == parent && state != "Z" && rank != std::string::npos)
      ranks[text.substr(rank + wanted.size(), 1)] = std::stoi(name);
  }
  return ranks;
}

/// Since it was made; what ends a run has a minute.
class Watch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Until `program` has written the file; fails the test when it ends before that.
inline void wait_for_file(RunningProgram& program, const std::filesystem::path& file) {
  if (program.wait_until([&] { return std::filesystem::exists(file); })) return;
  const ProgramResult result = program.wait();
  FAIL("exit code ", result.exit_code, " before ", file.filename().string(),
       " was there: ", result.err);
}

/// A port of 127.0.0.1 that nobody has at the moment.
inline std::string free_port() {
  const ListeningSocket found;
  close(found.descriptor);
  return std::to_string(found.port);
}

}  // namespace letterpress
