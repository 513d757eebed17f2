#pragma once
#include <string>

namespace letterpress {

/// Throws Error (usage) unless it is empty, "latest" or a generation's number.
void require_snapshot(const std::string& snapshot,
                      const char* wanted = "a generation's number or 'latest'");

}  // namespace letterpress
