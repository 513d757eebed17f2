#pragma once
#include <string>

namespace letterpress {

/// "3.2 MiB"
std::string bytes_text(double bytes);

}  // namespace letterpress
