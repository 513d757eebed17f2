#pragma once
#include <filesystem>

#include "uncompress.h"

namespace letterpress::annotations {

/// The tar archive within a compressed one (.tar.gz, .tgz, .tar.bz2, .tar.xz), in `folder`. It is
/// made there once for the archive's path, size and times of writing and change, whoever needs it
/// first; one of the same path that has changed is removed. Throws Error (data) when the archive is
/// damaged, holds no tar, or is a bomb: more than 256 MiB and 100 times its size; (io) when the
/// folder has no room; when `folder` is empty.
std::filesystem::path unpacked_tar(const std::filesystem::path& archive,
                                   const Compression& compression,
                                   const std::filesystem::path& folder);

}  // namespace letterpress::annotations
