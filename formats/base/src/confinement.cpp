#include "confinement.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "system_call_filter.h"

namespace letterpress {
namespace {

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

// A fault ends the child, whatever this program does at one. A terminal's Ctrl-C is the parent's to
// obey.
void take_no_signals() {
  for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) signal(fault, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);  // of an answer that is not read to its end
  sigset_t requests;
  sigemptyset(&requests);
  for (const int request : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&requests, request);
  sigprocmask(SIG_BLOCK, &requests, nullptr);
}

std::int64_t pages_in_use() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages;
}

void limit(int resource, std::int64_t most, std::int64_t reserve = 0) {
  const rlimit bounds{static_cast<rlim_t>(most), static_cast<rlim_t>(most + reserve)};
  setrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &bounds);
}

void close_all_but(int descriptor) {
  const auto own = static_cast<unsigned>(descriptor);
  syscall(SYS_close_range, STDERR_FILENO + 1U, own - 1, 0U);
  syscall(SYS_close_range, own + 1, ~0U, 0U);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO}) {
    if (standard != descriptor) close(standard);
  }
}

}  // namespace

void confine(std::int64_t memory_bytes, int seconds, int descriptor) {
  take_no_signals();
  const std::int64_t in_use = pages_in_use() * sysconf(_SC_PAGESIZE);
  if (!kSanitized && in_use > 0) limit(RLIMIT_AS, in_use + memory_bytes);
  limit(RLIMIT_CPU, seconds, 1);  // at the first SIGXCPU, at the second SIGKILL
  for (const int none : {RLIMIT_CORE, RLIMIT_FSIZE, RLIMIT_NOFILE}) limit(none, 0);
  close_all_but(descriptor);
  leave_only_memory_and(descriptor);
}

}  // namespace letterpress
