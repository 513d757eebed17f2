#pragma once
#include <optional>
#include <string>
#include <vector>

#include "letterpress/base/stop_request.h"
#include "trainer/parity/workplace.h"

namespace letterpress {

/// One of samples/deploy, which travel inside this program, and how it is called.
struct PythonProgram {
  std::string python{};              ///< that runs it
  std::string name{};                ///< "detect.py"
  std::vector<std::string> words{};  ///< after its name
  std::string flag{};                ///< of ours that asks for it, for messages
  std::string packages{};            ///< that it imports, as pip names them
  std::string otherwise{};           ///< what else a user without them can do
};

/// Writes the programs to `workplace` and runs that one to its end. Returns the first line of its
/// stdout, the runtime and its version; none when `stop` was asked for. Throws Error: where a
/// package is not there (configuration), or what it said last (data).
std::optional<std::string> run_python(const PythonProgram& program, const Workplace& workplace,
                                      const StopRequest& stop);

/// The last line that is not empty.
std::string last_line(const std::string& text);

}  // namespace letterpress
