#pragma once
#include <string>

#include "letterpress/commandline/flag.h"

namespace letterpress {

/// --json, the member of that name.
template <class Options>
Flag<Options> json_flag(const std::string& help = "one JSON object as the last line of stdout") {
  return Flag<Options>("json", &Options::json, help);
}

}  // namespace letterpress
