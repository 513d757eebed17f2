#pragma once
#include <stdexcept>
#include <string>

namespace letterpress {

/// Exit codes of every Letterpress program, fixed for good (sysexits.h where it has one). 130 and
/// 143 are signals'.
enum class Exit : int {
  done = 0,            ///< done, or nothing to do
  usage = 64,          ///< wrong flags
  data = 65,           ///< the input is not what it must be; nothing was published
  no_input = 66,       ///< there is nothing to work on
  bug = 70,            ///< ours
  cannot_create = 73,  ///< something else is in the place of an output, or it may not be so large
  io = 74,             ///< read, write, fsync failed, or no space
  busy = 75,           ///< somebody else is at it, or the input changed underfoot; try again
  configuration = 78,  ///< the wish contradicts what the store or checkpoint is
};

/// A failed operation. The message says where, what was got, what was wanted and how to fix it;
/// `main` prints it and leaves with `exit()`.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, Exit exit = Exit::data)
      : std::runtime_error(message), exit_(exit) {}
  Exit exit() const noexcept { return exit_; }

 private:
  Exit exit_;
};

/// Error of a system call: "where: what: strerror(errno); what to do", exit `io`.
Error system_error(const std::string& where, const std::string& what, int error_number);

}  // namespace letterpress
