#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace letterpress {

// What lies in a folder that somebody else may have made, a store: it may not lead out of it, nor
// wait for a writer that never comes. Nothing is opened before it was looked at (lstat).

/// Throws Error (configuration) naming `path` and `fix` where it is a symbolic link. No error when
/// it is not there.
void check_no_link(const std::filesystem::path& path, const std::string& fix);
/// Throws Error (data) naming `path` where it is a symbolic link, a folder, a FIFO or a device. No
/// error when it is not there.
void check_own_file(const std::filesystem::path& path,
                    const std::string& fix = "restore it from a copy");
/// The whole of such a file, of at most `most_bytes`. Throws Error (no_input) when it is missing,
/// (data) naming `fix` when it is not such a file or larger: that is told before memory is taken.
std::string read_own_file(const std::filesystem::path& path, std::int64_t most_bytes,
                          const std::string& fix = "restore it from a copy");

}  // namespace letterpress
