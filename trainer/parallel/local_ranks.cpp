#include "trainer/parallel/local_ranks.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "letterpress/base/end_with_parent.h"
#include "letterpress/base/error.h"
#include "letterpress/base/own_program.h"
#include "trainer/parallel/blocked_signals.h"
#include "trainer/parallel/hang.h"
#include "trainer/parallel/rank_status_board.h"

namespace letterpress {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kUnkillable{3};
// A supervisor that has not looked for so long was stopped itself, and its ranks with it.
constexpr std::chrono::seconds kWasStopped{3};

/// A socket that listens on a free port of this host: rank 0 takes it over, so that no other
/// process can take the port first.
class Listening {
 public:
  Listening() : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* where = reinterpret_cast<sockaddr*>(&address);
    if (descriptor_ < 0 || bind(descriptor_, where, size) != 0 ||
        listen(descriptor_, SOMAXCONN) != 0 || getsockname(descriptor_, where, &size) != 0)
      throw system_error("ranks", "no port of 127.0.0.1 to meet at", errno);
    port_ = ntohs(address.sin_port);
  }
  ~Listening() { close(descriptor_); }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
  int descriptor() const { return descriptor_; }
  int port() const { return port_; }

 private:
  int descriptor_, port_ = 0;
};

struct Ended {
  int rank, status;
  bool killed_by_us;
};

int code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

class Supervisor {
 public:
  Supervisor(const LocalRanks& options, const StopRequest& stop)
      : options_(options),
        stop_(stop),
        board_(options.ranks),
        words_(options.words.empty() ? words_of_this_program() : options.words) {
    program_ = options.words.empty() ? path_of_this_program() : words_.front();
  }
  ~Supervisor() { kill_all(SIGKILL); }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  int run() {
    for (int rank = 0; rank < options_.ranks; ++rank) processes_.push_back(start(rank));
    while (running() > 0) {
      const int signal = signals_.wait(std::chrono::milliseconds(500));
      look_at_clock();
      if (signal == SIGTSTP)
        pause();
      else if (signal > 0 && signal != SIGCHLD)
        pass_on(signal);
      // A library's thread may have got the signal instead; then the program's handler ran.
      if (stopping_ == 0 && stop_) pass_on(stop_.signal());
      reap();
      if (!deadline_ && ranks_had_time()) end_hanging();
      if (deadline_ && Clock::now() > *deadline_) kill_all(SIGKILL);
      // A process in a system call that does not end cannot be killed.
      if (deadline_ && Clock::now() > *deadline_ + kUnkillable) break;
    }
    return verdict();
  }

 private:
  std::int64_t running() const {
    return std::count_if(processes_.begin(), processes_.end(),
                         [](pid_t process) { return process > 0; });
  }

  std::vector<std::string> environment_of(int rank) const {
    std::map<std::string, std::string> own{
        {"RANK", std::to_string(rank)},
        {"LOCAL_RANK", std::to_string(rank)},
        {"WORLD_SIZE", std::to_string(options_.ranks)},
        {"LOCAL_WORLD_SIZE", std::to_string(options_.ranks)},
        {"MASTER_ADDR", "127.0.0.1"},
        {"MASTER_PORT", std::to_string(listening_.port())},
        {"TORCHELASTIC_USE_AGENT_STORE", "False"},
        {"LETTERPRESS_SUPERVISOR", std::to_string(getpid())},
        {"LETTERPRESS_STEPS", std::to_string(board_.descriptor())}};
    if (rank == 0) own["LETTERPRESS_LISTENING"] = std::to_string(listening_.descriptor());
    return environment_with(own);
  }

  pid_t start(int rank) {
    const std::vector<std::string> variables = environment_of(rank);
    const std::vector<char*> arguments = argument_list(words_),
                             environment = argument_list(variables);
    const pid_t parent = getpid(), process = fork();
    if (process < 0) throw system_error("rank " + std::to_string(rank), "cannot be started", errno);
    if (process > 0) return process;
    // In the child. A group of its own: a terminal's Ctrl-C reaches the ranks once, by the
    // supervisor.
    setpgid(0, 0);
    signal(SIGTTOU, SIG_IGN);  // `stty tostop` stops such groups when they write
    end_with_parent(parent, SIGKILL);
    if (rank == 0) fcntl(listening_.descriptor(), F_SETFD, 0);
    sigprocmask(SIG_SETMASK, &signals_.before(), nullptr);
    execve(program_.c_str(), arguments.data(), environment.data());
    _exit(127);
  }

  // Ctrl-Z: the ranks, groups of their own, do not get it. Returns when somebody lets this go on.
  void pause() {
    // As under `ssh -t host letterpress-trainer`: there is no shell that could let it go on.
    if (getsid(getppid()) != getsid(0)) return;
    kill_all(SIGSTOP);
    raise(SIGSTOP);
    kill_all(SIGCONT);
  }

  // Time in which nothing ran is nobody's: what is waited for comes as much later.
  void look_at_clock() {
    const Clock::time_point now = Clock::now();
    const Clock::duration since = now - looked_;
    looked_ = now;
    if (since < kWasStopped) return;
    went_on_ = now;
    stopping_since_ += since;
    if (deadline_) *deadline_ += since;
  }

  // To show that they live, after they may have been stopped.
  bool ranks_had_time() const { return looked_ - went_on_ > kWasStopped; }

  void pass_on(int signal) {
    if (stopping_ == 0) {
      stopping_since_ = Clock::now();
      kill_all(signal);
    } else if (Clock::now() - stopping_since_ > kOneRequest) {
      kill_all(SIGKILL);
    }
    stopping_ = signal;
  }

  void kill_all(int signal) {
    killed_ = killed_ || signal == SIGKILL;
    for (const pid_t process : processes_) {
      if (process > 0) kill(process, signal);
    }
  }

  // Of one that hangs: the others then lose it and end by themselves.
  void end_hanging() {
    std::vector<RankStatus> statuses(processes_.size());
    for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
      if (processes_[rank] > 0) statuses[rank] = board_.status(static_cast<int>(rank));
    }
    hang_ = find_hang(statuses, options_.deadline_s);
    if (!hang_) return;
    if (hang_->rank)
      kill(processes_[static_cast<std::size_t>(*hang_->rank)], SIGKILL);
    else
      kill_all(SIGKILL);
    deadline_ = Clock::now() + grace();
  }

  Clock::duration grace() const {
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(options_.grace_s));
  }

  void reap() {
    int status = 0;
    for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto found = std::find(processes_.begin(), processes_.end(), process);
      if (found == processes_.end()) continue;
      const Ended ended{static_cast<int>(found - processes_.begin()), status,
                        killed_ && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL};
      *found = -1;
      ended_.push_back(ended);
      if (failed(ended) && !deadline_) deadline_ = Clock::now() + grace();
    }
  }

  bool failed(const Ended& ended) const {
    const int code = code_of(ended.status);
    return code != 0 && !(stopping_ && code == 128 + stopping_);
  }

  int verdict() const {
    if (hang_) {
      if (options_.note) options_.note(describe_hang());
      return 128 + SIGKILL;
    }
    const auto by_itself = [this](const Ended& ended) {
      return failed(ended) && !ended.killed_by_us &&
             code_of(ended.status) != static_cast<int>(Exit::busy);
    };
    auto first = std::find_if(ended_.begin(), ended_.end(), by_itself);
    if (first == ended_.end())
      first = std::find_if(ended_.begin(), ended_.end(),
                           [this](const Ended& ended) { return failed(ended); });
    if (first == ended_.end()) return stopping_ ? 128 + stopping_ : 0;
    if (stopping_ && first->killed_by_us) return 128 + stopping_;
    if (options_.note) options_.note(describe(*first));
    return code_of(first->status);
  }

  std::string name_of(int rank) const {
    return "rank " + std::to_string(rank) + " of " + std::to_string(options_.ranks);
  }
  static std::string when_of(std::int64_t step) {
    return step < 0 ? " before its first step" : " in step " + std::to_string(step);
  }

  std::string describe_hang() const {
    return letterpress::describe(*hang_, options_.ranks) +
           (hang_->rank ? ", and was killed; " : ", and were killed; ") + suspicion(*hang_) +
           "; all ranks were ended, --resume goes on from the last checkpoint";
  }

  std::string describe(const Ended& ended) const {
    const std::string when = when_of(board_.status(ended.rank).step), who = name_of(ended.rank);
    if (!WIFSIGNALED(ended.status))
      return who + " ended with exit code " + std::to_string(code_of(ended.status)) + when +
             ", its message is above; all ranks were ended";
    const int signal = WTERMSIG(ended.status);
    return who + " was killed" + when + " by signal " + std::to_string(signal) + " (" +
           strsignal(signal) + ")" +
           (signal == SIGKILL ? "; was memory short? `dmesg` tells" : "") +
           "; all ranks were ended, --resume goes on from the last checkpoint";
  }

  const LocalRanks& options_;
  const StopRequest& stop_;
  RankStatusBoard board_;
  Listening listening_;
  BlockedSignals signals_;
  std::vector<std::string> words_;
  std::string program_;
  std::vector<pid_t> processes_;  ///< by rank; -1: ended
  std::vector<Ended> ended_;      ///< in the order in which they ended
  std::optional<Clock::time_point> deadline_;
  Clock::time_point stopping_since_{};  // when stopping_ was set first
  Clock::time_point looked_ = Clock::now(), went_on_{};
  std::optional<Hang> hang_;  ///< as it was before ranks were killed
  int stopping_ = 0;
  bool killed_ = false;
};

}  // namespace

int run_local_ranks(const LocalRanks& options, const StopRequest& stop) {
  return Supervisor(options, stop).run();
}

}  // namespace letterpress
