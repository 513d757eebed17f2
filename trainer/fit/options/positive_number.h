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
  std::string_view number = field;
  number.remove_prefix(std::min(number.find_first_not_of(' '), number.size()));
  number = number.substr(0, number.find_last_not_of(' ') + 1);
  if (number.starts_with('+')) number.remove_prefix(1);
  const auto value = parse_as<double>(number);
  return value && *value > 0 && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace letterpress
