#pragma once
#include <filesystem>
#include <string>

namespace letterpress {

/// Empty when this file can be read past the page cache by io_uring, else why not: "io_uring:
/// Operation not permitted". Throws Error (io) where it cannot be read in any way.
std::string why_no_direct_reads(const std::filesystem::path& path);

}  // namespace letterpress
