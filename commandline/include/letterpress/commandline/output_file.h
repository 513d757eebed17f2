#pragma once
#include <string>
#include <string_view>

namespace letterpress {

/// What files of a kind are known by.
struct FileKind {
  std::string name;            ///< "a PNG file"
  std::string_view mark = {};  ///< bytes that all of them have: "\x89PNG"; empty: none, any may be
  std::size_t at = 0;          ///< where the mark stands
};

/// Refuses an output file before the work for it is done: no name, a folder, in a folder that is
/// not there, a device (/dev/stdout too), FIFO or socket, or in the place of something else: a file
/// that is there, not empty and without the mark of `wanted`. Throws Error (cannot_create) with
/// `flag` ("--out") and the name as it was given.
void check_output_file(const std::string& flag, const std::string& given, const FileKind& wanted);
/// Refuses an output that is `input`, a file that the command reads: "the checkpoint that is
/// exported" is its name for the Error (cannot_create).
void check_is_not_input(const std::string& flag, const std::string& given, const std::string& input,
                        const std::string& name);

}  // namespace letterpress
