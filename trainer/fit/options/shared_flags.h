#pragma once
#include <string>

namespace letterpress {

/// Checks of flags that several commands have; each throws Error (usage) naming the flag.
/// snapshot: empty, "latest" or a generation's number.
void require_snapshot(const std::string& snapshot,
                      const char* wanted = "a generation's number or 'latest'");
void require_threads(int threads);
void require_readers(int readers);

}  // namespace letterpress
