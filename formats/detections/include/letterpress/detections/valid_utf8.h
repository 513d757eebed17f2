#pragma once
#include <string>

namespace letterpress {

/// The text with U+FFFD in place of what is not UTF-8, as our JSON has it: names of files may hold
/// any bytes.
std::string valid_utf8(const std::string& text);

}  // namespace letterpress
