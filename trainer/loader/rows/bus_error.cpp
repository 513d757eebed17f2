#include "trainer/loader/rows/bus_error.h"

#include <setjmp.h>
#include <signal.h>

#include <mutex>

namespace letterpress {
namespace {

#ifdef __SANITIZE_THREAD__
constexpr int kSaveMask = 1;  // the sanitizer runs every handler with all signals blocked
#else
constexpr int kSaveMask = 0;  // see take_over()
#endif

struct Guard {
  std::span<const std::uint8_t> mapped;
  sigjmp_buf escape;
};
thread_local Guard* guard = nullptr;
struct sigaction previous_action;

void handle(int signal, siginfo_t* info, void* machine_state) {
  const auto* const address = static_cast<const std::uint8_t*>(info->si_addr);
  if (guard && address >= guard->mapped.data() &&
      address < guard->mapped.data() + guard->mapped.size())
    siglongjmp(guard->escape, 1);
  if ((previous_action.sa_flags & SA_SIGINFO) != 0)
    return previous_action.sa_sigaction(signal, info, machine_state);
  // The default ends the program: after the return the same access fails again, under that handler.
  ::sigaction(signal, &previous_action, nullptr);
}

void take_over() {
  struct sigaction ours {};
  ours.sa_sigaction = handle;
  // Keeps the signal deliverable after the jump. The jump restores no mask: that would cost a
  // system call per row.
  ours.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigemptyset(&ours.sa_mask);
  ::sigaction(SIGBUS, &ours, &previous_action);
}

}  // namespace

bool run_without_bus_error(std::span<const std::uint8_t> mapped, void (*work)(void*),
                           void* context) {
  static std::once_flag taken_over;
  std::call_once(taken_over, take_over);
  Guard mine{.mapped = mapped, .escape = {}};
  const bool whole = sigsetjmp(mine.escape, kSaveMask) == 0;
  if (whole) {
    guard = &mine;
    work(context);
  }
  guard = nullptr;
  return whole;
}

}  // namespace letterpress
