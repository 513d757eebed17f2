#pragma once
#include <cstddef>
#include <functional>

namespace letterpress {

/// task(i) for every i of 0..n-1 in any order, on `threads` threads, the calling one among them (0:
/// all cores). For parts that must not depend on TBB. After a task has thrown no other begins; when
/// all threads have ended, what it threw is thrown.
void parallel_for(std::size_t n, int threads, const std::function<void(std::size_t)>& task);

}  // namespace letterpress
