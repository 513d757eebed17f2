#pragma once
#include <string>
#include <string_view>

namespace letterpress {

inline constexpr std::string_view kReplaced = "\xEF\xBF\xBD";  ///< U+FFFD

/// The text with kReplaced in place of what is not UTF-8, as our JSON has it: names of files may
/// hold any bytes.
std::string valid_utf8(const std::string& text);

}  // namespace letterpress
