#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "letterpress/base/parse_as.h"

namespace letterpress {

/// One number over 0 of a flag's list, blanks around it allowed; nothing for anything else.
inline std::optional<double> positive_number(const std::string& field) {
  const std::size_t begin = std::min(field.find_first_not_of(' '), field.size());
  const std::size_t end = field.find_last_not_of(' ') + 1;
  const auto value = parse_as<double>(std::string_view(field).substr(begin, end - begin));
  return value && *value > 0 && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace letterpress
