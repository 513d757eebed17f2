#include "trainer/loader/bus_error.h"

#include <setjmp.h>
#include <signal.h>

#include <mutex>

namespace letterpress {
namespace {

struct Guard {
  std::span<const std::uint8_t> mapped;
  sigjmp_buf escape;
};
thread_local Guard* guard = nullptr;
struct sigaction in_charge_before;

void handle(int signal, siginfo_t* info, void* machine_state) {
  const auto* const address = static_cast<const std::uint8_t*>(info->si_addr);
  if (guard && address >= guard->mapped.data() &&
      address < guard->mapped.data() + guard->mapped.size())
    siglongjmp(guard->escape, 1);
  if ((in_charge_before.sa_flags & SA_SIGINFO) != 0)
    return in_charge_before.sa_sigaction(signal, info, machine_state);
  // The default ends the program: back from here the same access fails again, with that in charge.
  ::sigaction(signal, &in_charge_before, nullptr);
}

void take_over() {
  struct sigaction ours {};
  ours.sa_sigaction = handle;
  // The signal stays deliverable after the jump, which restores no mask: that would be a system
  // call per row.
  ours.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigemptyset(&ours.sa_mask);
  ::sigaction(SIGBUS, &ours, &in_charge_before);
}

}  // namespace

bool run_without_bus_error(std::span<const std::uint8_t> mapped, void (*work)(void*),
                           void* context) {
  static std::once_flag taken_over;
  std::call_once(taken_over, take_over);
  Guard mine{.mapped = mapped, .escape = {}};
  const bool whole = sigsetjmp(mine.escape, 0) == 0;
  if (whole) {
    guard = &mine;
    work(context);
  }
  guard = nullptr;
  return whole;
}

}  // namespace letterpress
