#pragma once
#include <string>
#include <string_view>

namespace letterpress {

/// What may be written to a terminal: control characters but newline and tab, which names of files
/// and of label files may hold and a terminal would obey, as \\xNN; of UTF-8's own (U+0080 to
/// U+009F) too.
std::string terminal_text(std::string_view text);
/// The same in one line: newline and tab, too, as \\xNN.
std::string terminal_line(std::string_view text);

}  // namespace letterpress
