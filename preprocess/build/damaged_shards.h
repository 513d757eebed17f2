#pragma once
#include <filesystem>
#include <vector>

#include "letterpress/shards/store.h"
#include "preprocess/build/place.h"

namespace letterpress {

/// Shards of the last snapshot that are missing or damaged outside their pixels (~1 MB of each is read). In `previous` their rows are
/// forgotten, so that a plan makes them anew. Throws Error (configuration) when a shard is of a newer schema.
std::vector<std::filesystem::path> forget_damaged_shards(const Store& store, Previous& previous);

/// The file is there and its digest and all row checksums match: every byte is read. Throws Error (io) when that fails, (configuration)
/// when the shard is of a newer schema.
bool is_whole_shard(const std::filesystem::path& shard);

}  // namespace letterpress
