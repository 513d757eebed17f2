#pragma once
#include <cstddef>
#include <functional>

namespace letterpress {

/// Calls task(i) for every i of 0..n-1, in any order, on `threads` threads (0: all cores) of which
/// the caller's is one. For parts that must not depend on TBB. After a task has thrown, no other
/// begins; its exception is thrown again when all threads have ended.
void parallel_for(std::size_t n, int threads, const std::function<void(std::size_t)>& task);

}  // namespace letterpress
