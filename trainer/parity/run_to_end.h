#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/base/stop_request.h"

namespace letterpress {

/// How a program that was run to its end has ended.
struct EndedProgram {
  int exit_code = 0;     ///< 128 + signal when one killed it
  std::string out, err;  ///< all of stdout and stderr
};

/// Runs words[0], looked for in PATH, with those words, in a process group of its own; its streams
/// and temporary files (TMPDIR) go to `folder`. None when `stop` was asked for before it ended:
/// then it is killed, with what it started. Throws Error (configuration) when it cannot be started.
std::optional<EndedProgram> run_to_end(const std::vector<std::string>& words,
                                       const std::filesystem::path& folder,
                                       const StopRequest& stop);

}  // namespace letterpress
