#pragma once
#include <filesystem>
#include <string>

namespace letterpress {

/// A checkpoint file, or the one to use of a run folder: best.safetensors, else last.safetensors.
/// Throws Error (no_input) that begins with the flag that it was given by, "checkpoint" or "init",
/// when there is none.
std::filesystem::path find_checkpoint(const std::filesystem::path& file_or_run,
                                      const std::string& flag);

}  // namespace letterpress
