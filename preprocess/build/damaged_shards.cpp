#include "preprocess/build/damaged_shards.h"

#include "letterpress/base/error.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

bool can_be_kept(const fs::path& path, const SnapshotShard& described) {
  if (!fs::exists(path)) return false;
  try {
    return ShardReader(path).rows() == described.rows;
  } catch (const Error& error) {
    if (error.exit() == Exit::configuration) throw;
    return false;
  }
}

}  // namespace

std::vector<fs::path> forget_damaged_shards(const Store& store, Previous& previous) {
  const std::vector<SnapshotShard>& shards = previous.snapshot.shards;
  std::vector<bool> damaged;
  std::vector<fs::path> paths;
  for (const SnapshotShard& shard : shards) {
    const fs::path path = store.shard_path(shard.digest);
    damaged.push_back(!can_be_kept(path, shard));
    if (damaged.back()) paths.push_back(path);
  }
  for (LedgerEntry& entry : previous.ledger) {
    std::erase_if(entry.rows, [&](const RowRun& run) { return damaged.at(static_cast<std::size_t>(run.shard)); });
  }
  return paths;
}

bool is_whole_shard(const fs::path& shard) {
  if (!fs::exists(shard)) return false;
  try {
    ShardReader(shard).verify_rows();
    return true;
  } catch (const Error& error) {
    if (error.exit() != Exit::data) throw;  // of a newer program, or a disk that cannot be read
    return false;
  }
}

}  // namespace letterpress
