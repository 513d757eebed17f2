#include "preprocess/upkeep/damaged_shards.h"

#include "letterpress/base/error.h"
#include "letterpress/base/look.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

struct ExpectedShard {
  fs::path path;
  std::int64_t rows;
};

bool is_damaged(const ExpectedShard& shard) {
  if (!is_there(shard.path)) return true;
  try {
    return ShardReader(shard.path).rows() != shard.rows;
  } catch (const Error& error) {
    // Of a newer program, or a disk that cannot be read: its rows need not be made anew.
    if (error.exit() == Exit::configuration || error.exit() == Exit::io) throw;
    return true;
  }
}

}  // namespace

std::shared_future<std::vector<bool>> find_damaged_shards(const Store& store,
                                                          const Snapshot& snapshot,
                                                          const StopRequest& stop) {
  std::vector<ExpectedShard> shards;
  for (const SnapshotShard& shard : snapshot.shards)
    shards.push_back({store.shard_path(shard.digest), shard.rows});
  return std::async(std::launch::async, [shards = std::move(shards), &stop] {
    std::vector<bool> damaged(shards.size());
    for (std::size_t i = 0; i < shards.size() && !stop; ++i) damaged[i] = is_damaged(shards[i]);
    return damaged;
  });
}

bool is_whole_shard(const fs::path& shard) {
  std::error_code unseen;
  if (!fs::exists(shard, unseen)) return false;
  try {
    ShardReader(shard).verify_rows();
    return true;
  } catch (const Error& error) {
    if (error.exit() != Exit::data) throw;  // of a newer program, or a disk that cannot be read
    return false;
  }
}

}  // namespace letterpress
