#pragma once
#include <string>

#include "letterpress/commandline/flag.h"

namespace letterpress {

inline constexpr int kMostThreads = 4096;  ///< what --threads takes

/// A number, and what to tell the user where it is less than was asked for.
struct Capped {
  int number = 0;
  std::string note{};  ///< empty: it is what was asked for
};

/// `threads`, at most the cores that this process may use: more make arithmetic slower, many more
/// hang it. What is over kMostThreads stays, to be refused.
Capped limit_to_cores(int threads);

inline constexpr int kMostReaders = 1024;   ///< what --readers takes
inline constexpr int kReadersPerCore = 16;  ///< they wait for disks more than they compute

/// The same for --readers: at most kReadersPerCore for each of those cores.
Capped limit_readers(int readers);

/// For programs: its number, after its note has gone to stderr.
int tell(const Capped& capped);

/// --threads. access: the member, as Flag takes it.
template <class Options, class Access>
Flag<Options> threads_flag(Access access, const std::string& help = "CPU threads; 0: all cores") {
  return Flag<Options>("threads", access, help)
      .between(0, kMostThreads, "0 (all cores) to " + std::to_string(kMostThreads));
}
/// --readers. what: "threads that read"; rest: what else is to be said of them.
template <class Options, class Access>
Flag<Options> readers_flag(Access access, const std::string& what, const std::string& rest = "") {
  return Flag<Options>("readers", access,
                       what + ", at most " + std::to_string(kReadersPerCore) +
                           " for each core; 0: min(4, cores)" + rest)
      .between(0, kMostReaders, "0 (as many as fit) to " + std::to_string(kMostReaders));
}

}  // namespace letterpress
