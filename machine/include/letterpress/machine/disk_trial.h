#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace letterpress {

/// What a folder's disk does.
struct DiskTrial {
  std::int64_t bytes_free = 0;
  double written_per_s = 0;  ///< bytes, fsync included; 0: it could not be tried
  double read_per_s = 0;     ///< bytes, past the page cache; 0: it could not be tried
  std::string fault{};       ///< why no store can lie there: no room, no locks, cannot be written;
                             ///< empty: one can
};
/// Writes 64 MiB, and for a moment a few small files, in a folder of its own that it removes
/// again. What cannot be done is in the result; throws nothing.
DiskTrial try_disk(const std::filesystem::path& folder);

/// Bytes/s of reading up to 64 MiB of a file past the page cache, in whole MiB; 0 where that cannot
/// be tried. Changes nothing.
double read_per_s(const std::filesystem::path& file);

/// Bytes/s that a disk takes, fsync included; 0 where it cannot be tried. With an unnamed file
/// (O_TMPFILE), which no listing shows and nothing has to remove.
double written_per_s(const std::filesystem::path& folder, std::int64_t bytes);

}  // namespace letterpress
