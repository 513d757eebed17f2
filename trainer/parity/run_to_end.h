#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace letterpress {

/// How a program that was run to its end has ended.
struct EndedProgram {
  int exit_code = 0;     ///< 128 + signal when one killed it
  std::string out, err;  ///< all of stdout and stderr
};

/// Runs words[0], looked for in PATH, with those words; its streams go to files in `folder`. Throws
/// Error (configuration) when it cannot be started.
EndedProgram run_to_end(const std::vector<std::string>& words, const std::filesystem::path& folder);

}  // namespace letterpress
