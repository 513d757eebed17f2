#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace letterpress {

/// "epoch-000012.safetensors": the weights of one epoch, written every --save-every epochs.
std::string epoch_checkpoint_name(std::int64_t epoch);
/// Removes all but the `keep` newest of them from a run's folder; 0: removes none. Other files
/// stay.
void remove_old_epoch_checkpoints(const std::filesystem::path& folder, int keep);

}  // namespace letterpress
