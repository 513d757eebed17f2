#pragma once
#include <filesystem>

namespace letterpress {

/// A checkpoint file, or the one to use of a run folder: best.safetensors, else last.safetensors. Throws Error (no_input) when there is
/// none.
std::filesystem::path find_checkpoint(const std::filesystem::path& file_or_run);

}  // namespace letterpress
