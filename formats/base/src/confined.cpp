#include "letterpress/base/confined.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "confinement.h"
#include "letterpress/base/end_with_parent.h"

namespace letterpress {
namespace {

// What the child says first. Behind it come the length of the rest, and the rest: what it returns,
// or its failure.
enum class Reply : char { result = 'r', error = 'e', exception = 'x', no_memory = 'm' };
constexpr std::size_t kLengthBytes = sizeof(std::uint64_t), kHeadBytes = 1 + kLengthBytes;
constexpr std::uint64_t kMostFailureBytes = 1 << 20;
constexpr std::size_t kPipeBytes = 1 << 16;
constexpr int kTimePerProcessorTime = 10;  // on a busy machine

constexpr const char* kDamaged = "the file is damaged, copy it again";

Error cannot_start(const std::string& where) {
  return Error({.where = where,
                .what = std::string("no process can be started to read it: ") + strerror(errno),
                .fix = "raise the limit of processes or of open files (ulimit -u, -n), or free "
                       "memory"},
               Exit::io);
}

class Pipe {
 public:
  explicit Pipe(const std::string& where) {
    if (pipe2(ends_.data(), O_CLOEXEC) < 0) throw cannot_start(where);
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
  void close_in() { close_end(1); }
  void close_out() { close_end(0); }

 private:
  void close_end(std::size_t end) {
    close(ends_[end]);
    ends_[end] = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

std::string packed(const Error& error) {
  std::string bytes(1, static_cast<char>(error.exit()));
  for (const std::string* text :
       {&error.message().where, &error.message().what, &error.message().fix})
    bytes += *text + '\0';
  return bytes;
}

// An Error is one, whatever the child says.
Error unpacked(std::string_view bytes) {
  const int said = bytes.empty() ? 0 : bytes.front();
  const bool known =
      said >= static_cast<int>(Exit::usage) && said <= static_cast<int>(Exit::configuration);
  Message message;
  std::size_t at = 1;
  for (std::string* text : {&message.where, &message.what, &message.fix}) {
    if (at >= bytes.size()) break;
    const std::size_t end = std::min(bytes.find('\0', at), bytes.size());
    *text = bytes.substr(at, end - at);
    at = end + 1;
  }
  return Error(std::move(message), known ? static_cast<Exit>(said) : Exit::data);
}

std::pair<Reply, std::string> reply_of(const std::function<std::string()>& work) {
  try {
    return {Reply::result, work()};
  } catch (const Error& error) {
    return {Reply::error, packed(error)};
  } catch (const std::bad_alloc&) {
    return {Reply::no_memory, ""};
  } catch (const std::exception& failure) {
    return {Reply::exception, failure.what()};
  }
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

[[noreturn]] void run_child(const ConfinedLimits& limits, int descriptor,
                            const std::function<std::string()>& work) {
  confine(limits.memory_bytes, limits.seconds, descriptor);
  const auto [kind, text] = reply_of(work);
  const std::uint64_t length = text.size();
  std::string head(1, static_cast<char>(kind));
  head.append(reinterpret_cast<const char*>(&length), kLengthBytes);
  _exit(write_all(descriptor, head) && write_all(descriptor, text) ? 0 : 1);
}

// What the child says, of its head and then of the rest.
class Answer {
 public:
  Answer(int descriptor, const ConfinedLimits& limits)
      : descriptor_(descriptor),
        limits_(limits),
        until_(Clock::now() +
               std::chrono::seconds(std::int64_t{limits.seconds} * kTimePerProcessorTime)) {}

  // Whether it is whole; what came too late, and what is longer than it may be, is not.
  bool read() {
    if (!read_to(kHeadBytes)) return false;
    std::uint64_t length = 0;
    std::memcpy(&length, bytes_.data() + 1, kLengthBytes);
    const std::uint64_t most = kind() == Reply::result
                                   ? static_cast<std::uint64_t>(limits_.result_bytes)
                                   : kMostFailureBytes;
    if (length > most) return false;
    bytes_.reserve(kHeadBytes + length);
    return read_to(kHeadBytes + length);
  }
  Reply kind() const { return static_cast<Reply>(bytes_.front()); }
  std::string text() && { return std::move(bytes_.erase(0, kHeadBytes)); }
  bool is_late() const { return Clock::now() >= until_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool read_to(std::size_t size) {
    while (bytes_.size() < size) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(until_ - Clock::now()).count();
      if (left <= 0) return false;
      pollfd readable{.fd = descriptor_, .events = POLLIN, .revents = 0};
      if (poll(&readable, 1, static_cast<int>(std::min<std::int64_t>(left, INT_MAX))) <= 0)
        continue;
      const std::size_t before = bytes_.size();
      bytes_.resize(std::min(size, before + kPipeBytes));
      const ssize_t n = ::read(descriptor_, bytes_.data() + before, bytes_.size() - before);
      bytes_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
      if (n == 0 || (n < 0 && errno != EINTR)) return false;
    }
    return true;
  }

  int descriptor_;
  ConfinedLimits limits_;
  Clock::time_point until_;
  std::string bytes_;
};

// Killed where nobody has waited for its end.
class Child {
 public:
  explicit Child(pid_t process) : process_(process) {}
  ~Child() {
    if (process_ < 0) return;
    kill();
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  void kill() const { ::kill(process_, SIGKILL); }
  // Its status; of one of which nobody will ever hear, as whoever started us ignores the ends of
  // children, that of one that has failed.
  int wait() {
    int status = 0;
    pid_t ended = -1;
    do ended = waitpid(process_, &status, 0);
    while (ended < 0 && errno == EINTR);
    process_ = -1;
    return ended < 0 ? W_EXITCODE(1, 0) : status;
  }

 private:
  pid_t process_;
};

// Of a child that has not answered.
Error death(const std::string& where, int status, bool is_late, const ConfinedLimits& limits) {
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (is_late || signal == SIGXCPU)
    return Error({.where = where,
                  .what = "was not read after " + std::to_string(limits.seconds) +
                          " seconds of processor time",
                  .fix = kDamaged});
  if (signal == SIGKILL)
    return Error({.where = where,
                  .what = "the process that read it was killed",
                  .fix = "is there memory for it? else " + std::string(kDamaged)},
                 Exit::io);
  if (signal != 0)
    return Error({.where = where,
                  .what = "the process that read it died of signal " + std::to_string(signal) +
                          " (" + strsignal(signal) + ")",
                  .fix = kDamaged});
  return wrong_answer(where);
}

std::string result_of(const std::string& where, Answer answer) {
  const Reply kind = answer.kind();
  std::string text = std::move(answer).text();
  if (kind == Reply::result) return text;
  if (kind == Reply::error) throw unpacked(text);
  if (kind == Reply::exception) throw std::runtime_error(text);
  if (kind != Reply::no_memory) throw wrong_answer(where);
  throw Error(
      {.where = where, .what = "needs more memory than a file of its size can", .fix = kDamaged});
}

}  // namespace

Error wrong_answer(const std::string& where) {
  return Error({.where = where,
                .what = "the process that read it did not return what it should",
                .fix = kDamaged});
}

std::string run_confined(const std::string& where, const ConfinedLimits& limits,
                         const std::function<std::string()>& work) {
  const char* const confined = std::getenv("LETTERPRESS_CONFINED");
  if (confined && std::string_view(confined) == "0") return work();
  Pipe pipe(where);
  const pid_t parent = getpid(), process = fork();
  if (process < 0) throw cannot_start(where);
  if (process == 0) {
    end_with_parent(parent, SIGKILL);
    run_child(limits, pipe.in(), work);
  }
  Child child(process);
  pipe.close_in();
  Answer answer(pipe.out(), limits);
  const bool is_whole = answer.read(), is_late = !is_whole && answer.is_late();
  if (is_late) child.kill();
  pipe.close_out();  // one that says more than it may goes on no longer
  const int status = child.wait();
  if (status != 0 || !is_whole) throw death(where, status, is_late, limits);
  return result_of(where, std::move(answer));
}

}  // namespace letterpress
