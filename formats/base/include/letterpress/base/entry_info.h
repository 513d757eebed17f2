#pragma once
#include <string>

namespace letterpress {

/// What help says of one entry of a registry.
struct EntryInfo {
  std::string name, help;
};

}  // namespace letterpress
