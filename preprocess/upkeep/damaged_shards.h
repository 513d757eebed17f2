#pragma once
#include <filesystem>
#include <future>
#include <vector>

#include "letterpress/base/stop_request.h"
#include "letterpress/shards/store.h"

namespace letterpress {

/// Which shards of a snapshot are missing or damaged outside their pixels (~1 MB of each is read),
/// by their position in it. A thread of its own looks for them while label files and pictures are
/// read; the destructor of the last copy waits for it. Ends early on `stop`, which outlives the
/// thread, and leaves the other shards unchecked. get() throws Error (configuration) when a shard
/// is of a newer schema.
std::shared_future<std::vector<bool>> find_damaged_shards(const Store& store,
                                                          const Snapshot& snapshot,
                                                          const StopRequest& stop);

/// The file is there and its digest and all row checksums match: every byte is read. Throws Error
/// (io) when that fails, (configuration) when the shard is of a newer schema.
bool is_whole_shard(const std::filesystem::path& shard);

}  // namespace letterpress
