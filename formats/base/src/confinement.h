#pragma once
#include <cstdint>

namespace letterpress {

/// From now on this process, a child of its own, may take so much more memory and so many seconds
/// of processor time, has no open file but `descriptor` and standard error, and no calls of the
/// system but those that leave_only_memory_and() leaves.
void confine(std::int64_t memory_bytes, int seconds, int descriptor);

}  // namespace letterpress
