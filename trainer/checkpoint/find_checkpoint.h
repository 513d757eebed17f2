#pragma once
#include <filesystem>
#include <string>

namespace letterpress {

/// A checkpoint file, or the one to use of a run folder: best.safetensors, else last.safetensors.
/// Throws Error (no_input) when there is none; the message begins with `flag`, "checkpoint" or
/// "init".
std::filesystem::path find_checkpoint(const std::filesystem::path& file_or_run,
                                      const std::string& flag);

}  // namespace letterpress
