#pragma once
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>

#include "letterpress/base/error.h"

namespace letterpress {

/// Calls task(i) for every i of 0..n-1, in any order, on `threads` threads (0: all cores) of which
/// the caller's is one. For parts that must not depend on TBB. After a task has thrown, no other
/// begins; its exception is thrown again when all threads have ended.
/// Where the system lets fewer threads be started, it is done by those.
void parallel_for(std::size_t n, int threads, const std::function<void(std::size_t)>& task);

/// Starts n threads at once, and ends them. Throws Error (io) where the system lets no more be
/// started (ulimit -u, a container's limit of pids): to be asked before libraries start as many,
/// which would end the program then, or wait for ever.
void require_threads(int n);

/// The Error of a thread that cannot be started; none of another failure.
std::optional<Error> thread_shortage(const std::exception& failure);

}  // namespace letterpress
