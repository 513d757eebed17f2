#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace letterpress {

/// A Darknet weight file (github.com/pjreddie/darknet): int32 major, minor, revision; `seen` as
/// int64 from version 0.2 on, else int32; then float32 values to the end, little-endian. Which
/// value is what is known to the cfg alone.
struct DarknetWeights {
  std::int64_t seen = 0;  ///< pictures trained on
  std::vector<float> values{};
};

/// Version 0.2.5, whole or not at all (temporary file, fsync, rename).
void write_darknet_weights(const std::filesystem::path& file, std::span<const float> values,
                           std::int64_t seen);
/// Throws Error naming the file when it is cut within the header or a value, or when its version
/// was never written.
DarknetWeights read_darknet_weights(const std::filesystem::path& file);

}  // namespace letterpress
