#pragma once
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
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
/// never waits for a reader. Killed by the destructor when it still runs. What waits for it throws
/// after kPatience with what it has said: one that hangs is told by the test that ran it.
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
    ends_ = static_cast<int>(syscall(SYS_pidfd_open, process_, 0));
    if (ends_ >= 0) return;
    send(SIGKILL);
    waitpid(process_, nullptr, 0);
    throw std::runtime_error("this kernel has no pidfd_open");
  }
  ~RunningProgram() {
    if (process_ > 0) {
      send(SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    close(ends_);
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  pid_t id() const { return process_; }
  void send(int signal) { kill(process_, signal); }

  /// Waits until `happened` says so or the program has ended; true in the first case.
  template <class Condition>
  bool wait_until(Condition happened) const {
    using namespace std::chrono_literals;
    const auto last = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
      const bool ended = ends_within(1ms);
      if (happened()) return true;
      if (ended) return false;
      if (std::chrono::steady_clock::now() > last) give_up();
    }
  }
  /// The same for `text` on stdout.
  bool wait_for_output(const std::string& text, const std::string& stream = "out") const {
    return wait_until([&] { return read(stream).find(text) != std::string::npos; });
  }

  ProgramResult wait() {
    if (!ends_within(kPatience)) give_up();
    int status = 0;
    if (waitpid(std::exchange(process_, -1), &status, 0) < 0)
      throw std::runtime_error("waitpid failed");
    return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), read("out"),
            read("err")};
  }

 private:
  static constexpr std::chrono::minutes kPatience{15};

  bool ends_within(std::chrono::milliseconds time) const {
    pollfd end{.fd = ends_, .events = POLLIN, .revents = 0};
    int ready = 0;
    do {
      ready = poll(&end, 1, static_cast<int>(time.count()));
    } while (ready < 0 && errno == EINTR);
    return ready == 1;
  }
  [[noreturn]] void give_up() const {
    throw std::runtime_error("the program still runs after " + std::to_string(kPatience.count()) +
                             " minutes; it has said: " + read("out") + read("err"));
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }

  TempDir folder_;
  pid_t process_ = -1;
  int ends_ = -1;  ///< readable when the process has ended
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
