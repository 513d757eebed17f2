#pragma once

namespace letterpress {

inline constexpr int kMostThreads = 4096;  ///< what --threads takes

/// `threads`, at most the cores that this process may use: more make arithmetic slower, many more
/// hang it. Where that is less, a line on stderr says so. What is over kMostThreads stays, to be
/// refused.
int limit_to_cores(int threads);

inline constexpr int kMostReaders = 1024;   ///< what --readers takes
inline constexpr int kReadersPerCore = 16;  ///< they wait for disks more than they compute

/// The same for --readers: at most kReadersPerCore for each of those cores.
int limit_readers(int readers);

}  // namespace letterpress
