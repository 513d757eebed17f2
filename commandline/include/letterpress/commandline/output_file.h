#pragma once
#include <string>
#include <string_view>

namespace letterpress {

/// Refuses an output file before the work for it is done: no name, a folder, in a folder that is
/// not there, a device (/dev/stdout too), FIFO or socket, or in the place of something else: a file
/// that is there, not empty and does not begin with `start`, by which such files are known
/// ("\x89PNG"; empty: anything may be replaced). Throws Error (cannot_create) with `flag` ("--out")
/// and the name as it was given; wanted: "a PNG file".
void check_output_file(const std::string& flag, const std::string& given, const std::string& wanted,
                       std::string_view start = {});

}  // namespace letterpress
