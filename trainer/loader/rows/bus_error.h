#pragma once
#include <cstdint>
#include <span>

namespace letterpress {

/// Calls work(context). Returns false when it read a part of `mapped` that the disk could not give
/// or that the file no longer has (SIGBUS). Then `work` was left in the middle without unwinding,
/// so it and what it calls must own nothing there. Any other bus error goes to the handler that was
/// installed before. Thread-safe; not nested. The first call takes the signal over for good.
bool run_without_bus_error(std::span<const std::uint8_t> mapped, void (*work)(void*),
                           void* context);

/// The same for a lambda.
template <class Work>
bool without_bus_error(std::span<const std::uint8_t> mapped, Work work) {
  return run_without_bus_error(
      mapped, [](void* context) { (*static_cast<Work*>(context))(); }, &work);
}

}  // namespace letterpress
