#pragma once
#include <cstdint>

#include "letterpress/shards/plan.h"

namespace letterpress {

/// Plans copies of the living rows of kept shards that waste room: more than a quarter of their
/// rows is dead, or less than half of `rows` (a full shard's) is alive and there is another one of
/// the same split and kind to join. They are left out of plan.snapshot; new ones, full except the
/// last of each split and kind, take their rows, shard by shard. The pictures are not read.
void repack(std::int64_t rows, Plan& plan);

}  // namespace letterpress
