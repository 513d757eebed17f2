#pragma once
#include <filesystem>
#include <iosfwd>
#include <string>

namespace letterpress {

/// A checkpoint file, or the one to use of a run folder: best.safetensors, else last.safetensors.
/// Throws Error (no_input) when there is none; the message begins with `flag`, "checkpoint" or
/// "init". notes gets a line "run holds no best.safetensors yet, its last.safetensors is used"
/// where that is so; null: nobody is told.
std::filesystem::path find_checkpoint(const std::filesystem::path& file_or_run,
                                      const std::string& flag, std::ostream* notes = nullptr);

}  // namespace letterpress
