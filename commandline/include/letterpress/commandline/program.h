#pragma once
#include <string>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/stop_request.h"
#include "letterpress/commandline/command.h"

namespace letterpress {

/// The whole of main(): parses argv (every flag may stand in a TOML file named by --config; the
/// command line wins), runs the command, prints an Error as "letterpress-preprocess build:
/// <message>" on stderr and returns the exit codes of base/error.h. An unknown flag or command is
/// 64 with "did you mean". With --json the last line on stdout is then an object, too, unless
/// the Error is a ToldError: outcome "failed", store (where --store was given), exit_code,
/// and where, what and fix of the message. --help and --version go to stdout. bad_alloc and
/// filesystem_error are 74, any other exception 70. Every program has the commands `completion
/// SHELL`, `reference`, which prints its commands and flags as Markdown, and `manual [COMMAND]`,
/// which prints a man page.
int run_program(const std::string& program, const std::string& summary,
                const std::vector<Command>& commands, int argc, char** argv);

/// Of which programs have been told, by an object of the command's own or by another process.
class ToldError : public Error {
 public:
  explicit ToldError(const Error& error) : Error(error) {}
};

/// Made by signals_that_stop() once run_program has installed its handlers: what main hands to long
/// work. A signal more than a second after the first ends the process at once.
const StopRequest& stop_by_signal() noexcept;
/// For programs that may die at any moment without harm: one second after the first signal the
/// process ends (128 + signal), whatever it is doing.
void end_soon_when_stopped() noexcept;
/// The same while the object lives: for one that waits in a call which no signal ends.
class EndsSoonWhenStopped {
 public:
  EndsSoonWhenStopped() noexcept { end_soon_when_stopped(); }
  ~EndsSoonWhenStopped();
  EndsSoonWhenStopped(const EndsSoonWhenStopped&) = delete;
  EndsSoonWhenStopped& operator=(const EndsSoonWhenStopped&) = delete;
};

}  // namespace letterpress
