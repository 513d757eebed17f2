#pragma once
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace letterpress {

/// Threads of another process that do not go on until it is killed, while its other ones do.
/// Outlives the process: it takes the threads' ends, without which the process does not end either.
class FrozenThreads {
 public:
  /// Those of a child that are called `name`.
  FrozenThreads(pid_t process, const std::string& name) {
    std::promise<std::size_t> frozen;
    std::future<std::size_t> number = frozen.get_future();
    thread_ =
        std::jthread([threads = threads_of(process, name), frozen = std::move(frozen)]() mutable {
          std::vector<pid_t> stopped;
          for (const pid_t thread : threads) {
            if (ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) continue;
            if (ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr) != 0) continue;
            if (waitpid(thread, nullptr, __WALL) == thread) stopped.push_back(thread);
          }
          frozen.set_value(stopped.size());
          for (const pid_t thread : stopped) {
            int status = 0;
            while (waitpid(thread, &status, __WALL) == thread && WIFSTOPPED(status)) {
            }
          }
        });
    number_ = number.get();
  }
  /// 0: this process may not do that, or there are none.
  std::size_t number() const { return number_; }

 private:
  static std::vector<pid_t> threads_of(pid_t process, const std::string& name) {
    std::vector<pid_t> threads;
    const std::string tasks = "/proc/" + std::to_string(process) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks)) {
      std::string its_name;
      std::getline(std::ifstream(task.path() / "comm") >> std::ws, its_name);
      if (its_name == name) threads.push_back(std::stoi(task.path().filename().string()));
    }
    return threads;
  }

  std::size_t number_ = 0;
  std::jthread thread_;
};

}  // namespace letterpress
