#pragma once

namespace letterpress {

inline constexpr int kMostThreads = 4096;  ///< what --threads takes

/// `threads`, at most the cores that this process may use: more make arithmetic slower, many more
/// hang it. Where that is less, a line on stderr says so. What is over kMostThreads stays, to be
/// refused.
int limit_to_cores(int threads);

}  // namespace letterpress
