#pragma once
#include <string>

namespace letterpress {

/// Refuses an output file before the work for it is done: no name, a folder, or in a folder that is not there. Throws Error (cannot_create)
/// with `flag` ("--out") and the name as it was given; wanted: "a PNG file".
void check_output_file(const std::string& flag, const std::string& given, const std::string& wanted);

}  // namespace letterpress
