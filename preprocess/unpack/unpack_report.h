#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace letterpress {

/// What an unpack did.
struct UnpackReport {
  std::int64_t pictures = 0, boxes = 0;
  std::map<std::string, std::int64_t> pictures_per_split;
  std::vector<std::string>
      build_flags;  ///< that make a store of it again, with the same size, recipe and views
  std::vector<std::string> losses;  ///< what the format cannot hold, with counts: "12 crowd flags"
};

}  // namespace letterpress
