#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "trainer/checkpoint/checkpoint.h"
#include "trainer/fit/options/fit_options.h"

namespace letterpress {

/// Throws Error (configuration) when the run's folder is the store or lies in it: gc removes there
/// what it does not know.
void check_outside(const std::filesystem::path& run_folder, const std::filesystem::path& store);

/// out/last.safetensors when the options resume and it is there; nothing without --out. Throws
/// Error (configuration) when it is there and they do not.
std::optional<Checkpoint> resumed_checkpoint(const FitOptions& options);

/// The run's name in pins: readable, and another one for each folder.
std::string run_name(const std::filesystem::path& run_folder);

}  // namespace letterpress
