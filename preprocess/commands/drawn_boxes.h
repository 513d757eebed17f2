#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/shards/shard.h"
#include "preprocess/draw/draw.h"

namespace letterpress {

/// The boxes of a row with the names of their classes. Throws std::out_of_range when `classes` has
/// no such class.
std::vector<DrawnBox> drawn_boxes(const ShardReader& shard, std::int64_t row,
                                  const std::vector<std::string>& classes);

}  // namespace letterpress
