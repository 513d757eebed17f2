#pragma once
#include <cmath>
#include <optional>
#include <string>

namespace letterpress {

/// One number over 0 of a flag's list, blanks around it allowed; nothing for anything else.
inline std::optional<double> positive_number(const std::string& field) {
  try {
    std::size_t used = 0;
    const double value = std::stod(field, &used);
    const bool whole = field.find_first_not_of(' ', used) == std::string::npos;
    if (whole && value > 0 && std::isfinite(value)) return value;
  } catch (const std::exception&) {
    // no number, or none that a double holds
  }
  return std::nullopt;
}

}  // namespace letterpress
