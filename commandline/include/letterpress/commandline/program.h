#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "letterpress/base/stop_request.h"

namespace CLI {
class App;
}

namespace letterpress {

/// A sub-command: adds its flags to `app` and returns what to run once they are parsed. The run
/// answers the exit code; it may throw Error.
struct Command {
  std::string name;     ///< "build"
  std::string summary;  ///< one line
  std::function<std::function<int()>(CLI::App& app)> define;
};

/// The whole of main(): parses argv (every flag may stand in a TOML file named by --config; the
/// command line wins), runs the command, prints an Error as "letterpress-preprocess build:
/// <message>" on stderr and returns the exit codes of base/error.h. An unknown flag or command is
/// 64 with "did you mean". --help and --version go to stdout. bad_alloc and filesystem_error are
/// 74, what else is no Error 70.
int run_program(const std::string& program, const std::string& summary,
                const std::vector<Command>& commands, int argc, char** argv);

/// Effective value of every flag of `app` as a JSON object, for printing and storing:
/// {"size":416,"val":"0.1",...}. Call after parsing.
std::string configuration_json(const CLI::App& app);

/// Made by SIGINT and SIGTERM once run_program has installed its handlers: what main hands to long
/// work. The second signal ends the process at once.
const StopRequest& stop_by_signal() noexcept;
/// 0, or SIGINT / SIGTERM once that arrived: long work looks at it between pictures or steps.
/// run_program installs the handlers; the second signal ends the process at once. Exit code: 128 +
/// signal.
int stop_signal() noexcept;
/// For programs that may die at any moment without harm: one second after the first signal the
/// process ends (128 + signal), whatever it is doing.
void end_soon_when_stopped() noexcept;
void set_stop_signal(int signal) noexcept;  ///< for tests

}  // namespace letterpress
