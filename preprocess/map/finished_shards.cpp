#include "preprocess/map/finished_shards.h"

#include <filesystem>
#include <optional>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/own_file.h"
#include "preprocess/plan/plan_folder.h"
#include "preprocess/upkeep/damaged_shards.h"

namespace letterpress {
namespace {

std::optional<ShardRecord> whole_record(const std::filesystem::path& path,
                                        BuildListener& listener) {
  try {
    return shard_record_from_json(read_own_file(path, kMostJsonBytes), path.string());
  } catch (const Error& error) {
    if (error.exit() != Exit::data) throw;  // of a newer program, or a disk that cannot be read
    listener.note(std::string(error.what()) + " (its shard is made again)");
    return std::nullopt;
  }
}

}  // namespace

std::vector<bool> finished_shards(const MapTask& task, BuildListener& listener,
                                  const std::vector<bool>& left_out) {
  const Store& store = task.store;
  std::vector<bool> finished = left_out;
  finished.resize(task.plan.shards.size(), false);
  for (std::size_t i = 0; i < finished.size() && !task.stop; ++i) {
    if (finished[i]) continue;
    const std::filesystem::path path =
        record_path(store, task.digest, static_cast<std::int32_t>(i));
    if (!std::filesystem::exists(path)) continue;
    const std::optional<ShardRecord> record = whole_record(path, listener);
    finished[i] = record && is_whole_shard(store.shard_path(record->digest));
    if (finished[i]) continue;
    remove_file(path);
    if (!record) continue;
    // A damaged one stays until a whole one takes its name: map holds no lock.
    listener.note(store.shard_path(record->digest).string() +
                  ": missing or damaged; it is made again");
  }
  return finished;
}

}  // namespace letterpress
