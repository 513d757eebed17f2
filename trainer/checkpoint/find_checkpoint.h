#pragma once
#include <filesystem>
#include <string>

namespace letterpress {

/// A checkpoint file, or the one to use of a run folder: best.safetensors, else last.safetensors.
/// Throws Error (no_input) when there is none; the message begins with `flag`, "checkpoint" or
/// "init".
std::filesystem::path find_checkpoint(const std::filesystem::path& file_or_run,
                                      const std::string& flag);

/// "run holds no best.safetensors yet, its last.safetensors is used"; empty where `found` is what
/// `file_or_run` promises.
std::string note_on_found(const std::filesystem::path& file_or_run,
                          const std::filesystem::path& found);

}  // namespace letterpress
