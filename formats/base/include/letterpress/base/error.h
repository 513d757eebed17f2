#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace letterpress {

/// Exit codes of every Letterpress program, fixed for good (sysexits.h where it has one). 129, 130
/// and 143 are signals'.
enum class Exit : int {
  done = 0,            ///< done, or nothing to do
  usage = 64,          ///< wrong flags
  data = 65,           ///< the input is not what it must be; nothing was published
  no_input = 66,       ///< there is nothing to work on
  bug = 70,            ///< ours
  cannot_create = 73,  ///< something else is in the place of an output, or it may not be so large
  io = 74,             ///< read, write, fsync failed, or no space
  busy = 75,  ///< another process holds the lock, or the input changed meanwhile; try again
  configuration = 78,  ///< options conflict with the store or the checkpoint
};

/// What a user reads of a failure. `where` and `fix` may be empty.
struct Message {
  std::string where{};  ///< file, and line, row or object in it: "train.txt:3"
  std::string what{};   ///< what was found, what it must be
  std::string fix{};    ///< what the user can do
};

/// "where: what; fix"
std::string to_string(const Message& message);

/// The message of something that is in `where`: "rank 1 of 2: a.h5: cut". As it is where that is
/// empty.
Message inside(const std::string& where, Message message);
/// With this fix after its own.
Message with_fix(Message message, const std::string& fix);
/// With these words at the end of its text.
Message with_remark(Message message, const std::string& remark);

/// A failed operation. `main` prints what() and leaves with exit(). Who wants a part of the message
/// asks for it; nobody takes the text apart.
class Error : public std::runtime_error {
 public:
  explicit Error(Message message, Exit exit = Exit::data)
      : std::runtime_error(to_string(message)), message_(std::move(message)), exit_(exit) {}
  /// Where no place and no fix can be named.
  explicit Error(const std::string& what, Exit exit = Exit::data)
      : Error(Message{.what = what}, exit) {}
  const Message& message() const noexcept { return message_; }
  Exit exit() const noexcept { return exit_; }

 private:
  Message message_;
  Exit exit_;
};

/// Error of a system call: "where: what: strerror(errno); what to do", exit `io`.
Error system_error(const std::string& where, const std::string& what, int error_number);
/// The same of what is only read: a user without the right to needs no write access.
Error reading_error(const std::string& where, const std::string& what, int error_number);

}  // namespace letterpress
