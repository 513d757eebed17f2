#include "trainer/parity/run_to_end.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/own_program.h"

namespace letterpress {
namespace {

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) throw system_error("waitpid", "does not tell how a program ended", errno);
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

EndedProgram run_to_end(const std::vector<std::string>& words,
                        const std::filesystem::path& folder) {
  constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
  const std::filesystem::path out = folder / "stdout", err = folder / "stderr";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), kNew, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), kNew, 0600);
  pid_t process = -1;
  const int failure = posix_spawnp(&process, words.at(0).c_str(), &actions, nullptr,
                                   argument_list(words).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0)
    throw Error({.where = words[0],
                 .what = std::string("cannot be started: ") + std::strerror(failure),
                 .fix = "name a program that is there"},
                Exit::configuration);
  const int exit_code = wait_for(process);
  return {exit_code, read_file(out), read_file(err)};
}

}  // namespace letterpress
