#pragma once
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/locations.h"

namespace letterpress {

/// Rates of PyTorch's own schedulers, see tests/golden/schedules/schedules.py.
inline const nlohmann::json& schedules_golden() {
  static const nlohmann::json parsed =
      nlohmann::json::parse(std::ifstream(std::string(LETTERPRESS_SOURCE_DIR) + "/tests/golden/schedules/schedules.json"));
  return parsed;
}

}  // namespace letterpress
