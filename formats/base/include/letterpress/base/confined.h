#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "letterpress/base/error.h"

namespace letterpress {

struct ConfinedLimits {
  std::int64_t memory_bytes;  ///< beside what this process has already
  std::int64_t result_bytes;
  int seconds;  ///< of processor time; of time ten times as many
};

/// Runs `work` in a process of its own and returns what it returns, or throws the Error that it
/// throws. For libraries that damaged or hostile bytes can bring down: the process has none of this
/// one's files open and can open no other, and it ends before this one does. Where the kernel has
/// seccomp (x86-64 and AArch64) it may do nothing at all but use its memory, return and end.
/// work: takes no lock that another thread may hold, which would not be there to give it back.
/// where: the file that is read, for the Error (data) of a process that dies, of one that needs
/// more than `limits`, and of one that does not return what it should. Throws Error (io) where no
/// process can be started, and of one that something else has killed. In the environment,
/// LETTERPRESS_CONFINED=0 runs `work` in this process instead: for debuggers, and for tools that
/// count what is run.
std::string run_confined(const std::string& where, const ConfinedLimits& limits,
                         const std::function<std::string()>& work);

/// The Error of a process that does not return what it should, for who reads what it returned.
Error wrong_answer(const std::string& where);

}  // namespace letterpress
