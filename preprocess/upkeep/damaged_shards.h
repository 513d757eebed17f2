#pragma once
#include <filesystem>
#include <future>
#include <vector>

#include "letterpress/shards/store.h"
#include "preprocess/plan/row_places.h"

namespace letterpress {

/// Which shards of a snapshot are missing or damaged outside their pixels (~1 MB of each is read),
/// by their place in it. Looked for in a thread of its own while label files and pictures are
/// looked at; the destructor of the last copy waits for it. Ends early, with shards not looked at,
/// after stop_signal(). get() throws Error (configuration) when a shard is of a newer schema.
std::shared_future<std::vector<bool>> find_damaged_shards(const Store& store,
                                                          const Snapshot& snapshot);
/// Waits for previous.damaged: shards whose rows cannot be kept. All are whole where nobody looks.
std::vector<bool> damaged_shards(const Previous& previous);

/// The file is there and its digest and all row checksums match: every byte is read. Throws Error
/// (io) when that fails, (configuration) when the shard is of a newer schema.
bool is_whole_shard(const std::filesystem::path& shard);

}  // namespace letterpress
