#pragma once
#include <cstdint>
#include <span>

namespace letterpress {

/// Calls work(context). False: it read a part of `mapped` that the disk could not give, or that the
/// file no longer has (SIGBUS), and was left in the middle of it, without unwinding: it and what it
/// calls own nothing at that point. Any other bus error goes to who was in charge before.
/// Thread-safe; not nested. The signal is taken over for good by the first call.
bool run_without_bus_error(std::span<const std::uint8_t> mapped, void (*work)(void*),
                           void* context);

/// The same for a lambda.
template <class Work>
bool without_bus_error(std::span<const std::uint8_t> mapped, Work work) {
  return run_without_bus_error(
      mapped, [](void* context) { (*static_cast<Work*>(context))(); }, &work);
}

}  // namespace letterpress
