#pragma once
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/locations.h"
#include "tests/temp_dir.h"

namespace letterpress {

/// How a program ended. exit_code: 128 + signal when one killed it, as shells say it.
struct ProgramResult {
  int exit_code = -1;
  std::string out, err;  ///< all of stdout and stderr

  std::string last_line() const {  ///< of stdout, without its newline
    const std::string text = out.ends_with('\n') ? out.substr(0, out.size() - 1) : out;
    return text.substr(text.rfind('\n') + 1);
  }
};

/// A program that runs beside the test. Its stdout and stderr go to files of its own, so that it
/// never waits for a reader. Killed by the destructor when it still runs.
class RunningProgram {
 public:
  /// words: the program's path, then its arguments. Throws when it cannot be started.
  explicit RunningProgram(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, (folder_ / "out").c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, (folder_ / "err").c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int failure =
        posix_spawn(&process_, words.at(0).c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) throw std::runtime_error(words.at(0) + " cannot be started");
  }
  ~RunningProgram() {
    if (process_ <= 0) return;
    send(SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  pid_t id() const { return process_; }
  void send(int signal) { kill(process_, signal); }

  /// Waits until `happened` says so or the program has ended; true in the first case.
  template <class Condition>
  bool wait_until(Condition happened) const {
    for (;;) {
      siginfo_t info{};
      const bool ended =
          waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          info.si_pid != 0;
      if (happened()) return true;
      if (ended) return false;
      sched_yield();
    }
  }
  /// The same for `text` on stdout.
  bool wait_for_output(const std::string& text, const std::string& stream = "out") const {
    return wait_until([&] { return read(stream).find(text) != std::string::npos; });
  }

  ProgramResult wait() {
    int status = 0;
    if (waitpid(std::exchange(process_, -1), &status, 0) < 0)
      throw std::runtime_error("waitpid failed");
    return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), read("out"),
            read("err")};
  }

 private:
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }

  TempDir folder_;
  pid_t process_ = -1;
};

/// Runs a program to its end.
inline ProgramResult run(const std::vector<std::string>& words) {
  return RunningProgram(words).wait();
}

/// Runs a program that can write no file larger than `kib` KiB, its stdout and stderr among them: a
/// full disk of its own.
inline ProgramResult run_with_small_files(int kib, std::vector<std::string> words) {
  words.insert(words.begin(),
               {"/bin/bash", "-c", "ulimit -f " + std::to_string(kib) + " && exec \"$0\" \"$@\""});
  return run(words);
}

/// Path of one of our programs: "letterpress-preprocess".
inline std::string program_path(const std::string& name) {
  return std::string(LETTERPRESS_BIN_DIR) + "/" + name;
}

}  // namespace letterpress
