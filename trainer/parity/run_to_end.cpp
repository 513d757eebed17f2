#include "trainer/parity/run_to_end.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/own_program.h"

namespace letterpress {
namespace {

constexpr const char *kOut = "stdout", *kErr = "stderr";  // files in the program's folder

pid_t start(const std::vector<std::string>& words, const std::filesystem::path& folder) {
  constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
  const std::filesystem::path out = folder / kOut, err = folder / kErr;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), kNew, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), kNew, 0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  // onnxruntime 1.32 leaves a temporary file, which goes with the folder.
  const std::vector<std::string> environment = environment_with({{"TMPDIR", folder.string()}});
  pid_t process = -1;
  const int failure = posix_spawnp(&process, words.at(0).c_str(), &actions, &attributes,
                                   argument_list(words).data(), argument_list(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0)
    throw Error({.where = words[0],
                 .what = std::string("cannot be started: ") + std::strerror(failure),
                 .fix = "name a program that is there"},
                Exit::configuration);
  return process;
}

// A signal's handler restarts a waitpid() that blocks, and nobody would look at `stop`.
int status_of(pid_t process, const StopRequest& stop) {
  constexpr int kBetweenLooks_ms = 10;
  bool killed = false;
  for (;;) {
    if (stop && !killed) killed = kill(-process, SIGKILL) == 0;
    int status = 0;
    const pid_t ended = waitpid(process, &status, killed ? 0 : WNOHANG);
    if (ended == process) return status;
    if (ended < 0 && errno != EINTR)
      throw system_error("waitpid", "does not tell how a program ended", errno);
    if (ended == 0) poll(nullptr, 0, kBetweenLooks_ms);
  }
}

}  // namespace

std::optional<EndedProgram> run_to_end(const std::vector<std::string>& words,
                                       const std::filesystem::path& folder,
                                       const StopRequest& stop) {
  const int status = status_of(start(words, folder), stop);
  if (stop) return std::nullopt;
  const int exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return EndedProgram{exit_code, read_file(folder / kOut), read_file(folder / kErr)};
}

}  // namespace letterpress
