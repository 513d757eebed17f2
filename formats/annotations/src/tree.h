#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/annotations/annotations.h"

namespace letterpress::annotations {

// Files of a dataset, on disk or in the archive in use (archive.h), whose members lie below its
// path: "train.tar/cat/1.jpg".

/// Paths, from `folder`, of all files below it whose name ends in `extension` (empty: in that of a
/// picture), sorted by bytes. Links to folders are not followed below `folder`, stores of ours are
/// left out. Throws Error with the folder that cannot be read.
std::vector<std::string> files_below(const std::filesystem::path& folder,
                                     std::string_view extension);

/// Whether the folder itself, not one below it, holds such a file.
bool holds_file(const std::filesystem::path& folder, std::string_view extension);

bool is_there(const std::filesystem::path& path);  ///< a file or a folder
bool is_folder(const std::filesystem::path& path);

/// Where a file's bytes lie: (path, 0, -1), or within the archive. Throws Error (no_input) when the
/// archive has no such file.
FileBytes bytes_of(const std::filesystem::path& path);
/// The whole file. Throws Error when it cannot be read.
std::string read_text(const std::filesystem::path& path);

/// What is wrong with a file that should be a readable regular one; empty: nothing. "is missing" is
/// the answer for no file. Throws Error (io) when the disk fails.
std::string file_fault(const std::string& path);
inline constexpr std::string_view kMissing = "is missing";

}  // namespace letterpress::annotations
