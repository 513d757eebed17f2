#include "letterpress/base/confined.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <string_view>

#include "system_call_filter.h"

namespace letterpress {
namespace {

// What the child says first; the rest is what it returns, or its failure.
enum class Reply : char { result = 'r', error = 'e', exception = 'x', no_memory = 'm' };
// Beside its result: the failure's text.
constexpr std::int64_t kMostReplyBytes = 1 << 20;
constexpr std::size_t kPipeBytes = 1 << 16;

// The sanitizers' own memory is no part of a limit.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

class Pipe {
 public:
  explicit Pipe(const std::string& where) {
    if (pipe2(ends_.data(), O_CLOEXEC) < 0)
      throw system_error(where, "cannot be read in a process of its own", errno);
  }
  ~Pipe() {
    for (const int end : ends_) {
      if (end >= 0) close(end);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int out() const { return ends_[0]; }
  int in() const { return ends_[1]; }
  void close_in() {
    close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

std::string packed(const Error& error) {
  std::string bytes(1, static_cast<char>(error.exit()));
  for (const std::string* text :
       {&error.message().where, &error.message().what, &error.message().fix})
    bytes += *text + '\0';
  return bytes;
}

Error unpacked(std::string_view bytes) {
  const auto exit = static_cast<Exit>(bytes.empty() ? 0 : bytes.front());
  Message message;
  std::size_t at = 1;
  for (std::string* text : {&message.where, &message.what, &message.fix}) {
    if (at >= bytes.size()) break;
    const std::size_t end = std::min(bytes.find('\0', at), bytes.size());
    *text = bytes.substr(at, end - at);
    at = end + 1;
  }
  return Error(std::move(message), exit);
}

std::int64_t pages_in_use() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages;
}

void limit(__rlimit_resource resource, std::int64_t most, std::int64_t reserve = 0) {
  const rlimit bounds{static_cast<rlim_t>(most), static_cast<rlim_t>(most + reserve)};
  setrlimit(resource, &bounds);
}

void confine(const ConfinedLimits& limits, int descriptor) {
  const std::int64_t in_use = pages_in_use() * sysconf(_SC_PAGESIZE);
  if (!kSanitized && in_use > 0) limit(RLIMIT_AS, in_use + limits.memory_bytes);
  limit(RLIMIT_CPU, limits.seconds, 1);  // at the first SIGXCPU, at the second SIGKILL
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, 0);  // no new ones
  leave_only_memory_and(descriptor);
}

std::string reply_of(const std::function<std::string()>& work) {
  try {
    return static_cast<char>(Reply::result) + work();
  } catch (const Error& error) {
    return static_cast<char>(Reply::error) + packed(error);
  } catch (const std::bad_alloc&) {
    return std::string(1, static_cast<char>(Reply::no_memory));
  } catch (const std::exception& failure) {
    return static_cast<char>(Reply::exception) + std::string(failure.what());
  }
}

// A fault ends the child, whatever this program does at one. A terminal's Ctrl-C is the parent's to
// obey.
void take_no_signals() {
  for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) signal(fault, SIG_DFL);
  sigset_t requests;
  sigemptyset(&requests);
  for (const int request : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&requests, request);
  sigprocmask(SIG_BLOCK, &requests, nullptr);
}

[[noreturn]] void run_child(const ConfinedLimits& limits, int descriptor,
                            const std::function<std::string()>& work) {
  take_no_signals();
  confine(limits, descriptor);
  const std::string reply = reply_of(work);
  for (std::size_t at = 0; at < reply.size();) {
    const ssize_t n = write(descriptor, reply.data() + at, reply.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(1);
    at += static_cast<std::size_t>(n);
  }
  _exit(0);
}

// All that the child says, or no more than it may.
std::string read_reply(int descriptor, std::int64_t most_bytes) {
  std::string reply, part(kPipeBytes, '\0');
  while (static_cast<std::int64_t>(reply.size()) <= most_bytes) {
    const ssize_t n = read(descriptor, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    reply.append(part.data(), static_cast<std::size_t>(n));
  }
  return reply;
}

int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Why a child died that had not said so.
std::string death(int status, const ConfinedLimits& limits) {
  if (!WIFSIGNALED(status)) return "the process that read it ended without a result";
  const int signal = WTERMSIG(status);
  if (signal == SIGXCPU) return "was not read after " + std::to_string(limits.seconds) + " seconds";
  return "the process that read it died of signal " + std::to_string(signal) + " (" +
         strsignal(signal) + ")";
}

}  // namespace

std::string run_confined(const std::string& where, const ConfinedLimits& limits,
                         const std::function<std::string()>& work) {
  const char* const confined = std::getenv("LETTERPRESS_CONFINED");
  if (confined && std::string_view(confined) == "0") return work();
  Pipe pipe(where);
  const pid_t parent = getpid(), child = fork();
  if (child < 0) throw system_error(where, "cannot be read in a process of its own", errno);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // the parent died before the line above
    run_child(limits, pipe.in(), work);
  }
  pipe.close_in();
  const std::int64_t most = limits.memory_bytes + kMostReplyBytes;
  std::string reply = read_reply(pipe.out(), most);
  if (static_cast<std::int64_t>(reply.size()) > most) kill(child, SIGKILL);
  const int status = status_of(child);
  const std::string damaged = "the file is damaged, copy it again";
  if (status != 0 || reply.empty())
    throw Error({.where = where, .what = death(status, limits), .fix = damaged});
  const auto kind = static_cast<Reply>(reply.front());
  reply.erase(0, 1);
  if (kind == Reply::result) return reply;
  if (kind == Reply::error) throw unpacked(reply);
  if (kind == Reply::exception) throw std::runtime_error(reply);
  throw Error(
      {.where = where, .what = "needs more memory than a file of its size can", .fix = damaged});
}

}  // namespace letterpress
