#pragma once
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/locations.h"

namespace letterpress {

/// tests/golden/detection/detection.json
inline const nlohmann::json& detection_golden() {
  static const nlohmann::json golden =
      nlohmann::json::parse(std::ifstream(std::string(LETTERPRESS_SOURCE_DIR) + "/tests/golden/detection/detection.json"));
  return golden;
}

}  // namespace letterpress
