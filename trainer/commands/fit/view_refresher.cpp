#include "trainer/commands/fit/view_refresher.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <thread>
#include <vector>

#include "letterpress/base/clock.h"
#include "letterpress/base/end_with_parent.h"
#include "letterpress/base/error.h"
#include "letterpress/base/own_program.h"

namespace letterpress {
namespace {
namespace fs = std::filesystem;

constexpr const char* kProgram = "letterpress-preprocess";
// A build looks for a stop between two pictures; what it leaves unfinished does no harm to a store.
constexpr double kGrace_s = 10;
constexpr std::chrono::milliseconds kBetweenLooks{20};

fs::path program(int threads) {
  std::vector<fs::path> folders{fs::path(path_of_this_program()).parent_path()};
  const char* const listed = std::getenv("PATH");
  std::istringstream path(listed ? listed : "");
  for (std::string folder; std::getline(path, folder, ':');) folders.emplace_back(folder);
  for (const fs::path& folder : folders) {
    if (access((folder / kProgram).c_str(), X_OK) == 0) return folder / kProgram;
  }
  throw Error({.where = "--refresh " + std::to_string(threads),
               .what = std::string(kProgram) + " is neither beside this program nor in PATH",
               .fix = "install it, or leave --refresh out"},
              Exit::configuration);
}

pid_t start(const std::vector<std::string>& words) {
  const std::vector<char*> arguments = argument_list(words);
  const pid_t parent = getpid(), process = fork();
  if (process < 0) throw system_error(words.front(), "cannot be started", errno);
  if (process > 0) return process;
  setpgid(0, 0);  // a terminal's Ctrl-C ends the training, and that ends this
  end_with_parent(parent, SIGTERM);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  execv(words.front().c_str(), arguments.data());
  _exit(127);
}

}  // namespace

ViewRefresher::ViewRefresher(const fs::path& store, int threads,
                             std::function<void(const std::string&)> note)
    : note_(std::move(note)) {
  process_ = start({program(threads).string(), "refresh", "--store", store.string(), "--follow",
                    "--threads", std::to_string(threads)});
}

ViewRefresher::~ViewRefresher() {
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) == process_) {
    note_("the process of --refresh ended early: no view was drawn anew from then on");
    return;
  }
  kill(process_, SIGTERM);
  const Clock::time_point begin = Clock::now();
  while (waitpid(process_, &status, WNOHANG) == 0) {
    if (seconds_since(begin) > kGrace_s) kill(process_, SIGKILL);
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

}  // namespace letterpress
