#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "letterpress/base/hash.h"

namespace letterpress {

// Text that is kept to save work, in a file whose first line is a header and the XXH3-128 of all
// that follows. Where it is not as it was written, it is made anew.

/// "letterpress looks 1 <32 digits>\n"
std::string checked_first_line(std::string_view header, const Hash128& checksum);

/// What follows the first line. Nothing where there is no such file, it cannot be read, its header
/// is another one, or a byte has changed.
std::optional<std::string> read_checked_text(const std::filesystem::path& file,
                                             std::string_view header);

}  // namespace letterpress
