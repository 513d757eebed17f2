#pragma once
#include <string>
#include <string_view>

namespace letterpress {

/// A text as a word of a command line that people paste into a POSIX shell: as it is where no
/// character of it means something there, else in single quotes (red car -> 'red car').
std::string shell_word(std::string_view text);

}  // namespace letterpress
