#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "letterpress/base/error.h"

namespace letterpress {

/// What a confined process may use beside what its parent has already.
struct ConfinedLimits {
  std::int64_t memory_bytes;
  int seconds;  ///< of processor time
};

/// Runs `work` in a process of its own and returns what it returns, or throws the Error that it
/// throws. For libraries that damaged or hostile bytes can bring down: whatever they do there, they
/// can open no file and start no program (no descriptors, and on Linux a filter that leaves them
/// memory and the way back), and they cannot outlive this process. work: without locks of other
/// threads. where: the file that is read, for the Error (data) of a process that dies, of one that
/// needs more than `limits`, and of one that does not return what it should. Throws Error (io)
/// where no process can be started. In the environment, LETTERPRESS_CONFINED=0 runs `work` in this
/// process instead: for debuggers, and for tools that count what is run.
std::string run_confined(const std::string& where, const ConfinedLimits& limits,
                         const std::function<std::string()>& work);

}  // namespace letterpress
