#pragma once
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/locations.h"

namespace letterpress {

/// tests/golden/<name>.json, read once.
inline const nlohmann::json& golden_json(const std::string& name) {
  static std::map<std::string, nlohmann::json> read;
  if (!read.contains(name))
    read[name] = nlohmann::json::parse(
        std::ifstream(std::string(LETTERPRESS_SOURCE_DIR) + "/tests/golden/" + name + ".json"));
  return read[name];
}

}  // namespace letterpress
