#include "preprocess/upkeep/damage_of_shard.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <map>
#include <mutex>

#include "letterpress/base/error.h"
#include "letterpress/shards/open_shard.h"

namespace letterpress {
namespace {

// By row, whatever thread found it.
std::map<std::int64_t, std::string> damaged_rows(const ShardReader& shard,
                                                 const ShardCheck& check) {
  std::mutex mutex;
  std::map<std::int64_t, std::string> found;
  tbb::enumerable_thread_specific<std::vector<std::uint8_t>> images(
      [&] { return std::vector<std::uint8_t>(static_cast<std::size_t>(shard.image_bytes())); });
  tbb::parallel_for(std::int64_t{0}, shard.rows(), [&](std::int64_t row) {
    if (check.stop && *check.stop) return;
    try {
      shard.read_images(row, 1, images.local().data());
      shard.verify_row(row, images.local());
    } catch (const Error& error) {
      const std::lock_guard lock(mutex);
      found[row] = error.what();
    }
    if (check.row_done) check.row_done();
  });
  return found;
}

}  // namespace

std::vector<std::string> damage_of_shard(const Store& store, const Snapshot& snapshot,
                                         std::size_t index, const ShardCheck& check) try {
  const ShardReader shard = open_shard(store, snapshot, index);
  std::vector<std::string> damage;
  if (!check.rows) return damage;
  for (auto& [row, message] : damaged_rows(shard, check)) damage.push_back(std::move(message));
  return damage;
} catch (const Error& error) {
  return {error.what()};
}

}  // namespace letterpress
