#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>

#include "letterpress/base/error.h"
#include "letterpress/commandline/progress.h"
#include "preprocess/commands/commands.h"

namespace letterpress {
namespace {

struct VerifyFlags {
  std::string store;
  std::int64_t snapshot = 0;
  bool deep = false;
};

// Damage by shard and row, in order, whatever thread found it. Row -1: the shard as a whole.
class DamageList {
 public:
  void add(std::size_t shard, std::int64_t row, const std::string& message) {
    const std::lock_guard lock(mutex_);
    found_[{shard, row}] = message;
  }
  const std::map<std::pair<std::size_t, std::int64_t>, std::string>& found() const {
    return found_;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::size_t, std::int64_t>, std::string> found_;
};

std::optional<ShardReader> open_shard(const Store& store, const SnapshotShard& wanted,
                                      std::size_t index, DamageList& damage) {
  const std::filesystem::path path = store.shard_path(wanted.digest);
  try {
    if (!std::filesystem::exists(path))
      throw Error({.where = path.string(), .what = "missing, the snapshot needs it"});
    ShardReader shard(path);
    if (shard.rows() == wanted.rows) return shard;
    throw Error({.where = path.string(),
                 .what = "has " + std::to_string(shard.rows()) + " rows, the snapshot says " +
                         std::to_string(wanted.rows)});
  } catch (const Error& error) {
    damage.add(index, -1, error.what());
    return std::nullopt;
  }
}

void check_rows(const ShardReader& shard, std::size_t index, DamageList& damage,
                Progress& progress) {
  tbb::enumerable_thread_specific<std::vector<std::uint8_t>> images(
      [&] { return std::vector<std::uint8_t>(static_cast<std::size_t>(shard.image_bytes())); });
  tbb::parallel_for(std::int64_t{0}, shard.rows(), [&](std::int64_t row) {
    if (stop_by_signal()) return;
    try {
      shard.read_images(row, 1, images.local().data());
      shard.verify_row(row, images.local());
    } catch (const Error& error) {
      damage.add(index, row, error.what());
    }
    progress.add(1);
  });
}

void check(const Store& store, const Snapshot& snapshot, bool deep, DamageList& damage) {
  std::int64_t rows = 0;
  for (const SnapshotShard& shard : snapshot.shards) rows += shard.rows;
  const auto shards = static_cast<std::int64_t>(snapshot.shards.size());
  Progress progress("verifying", deep ? rows : shards, deep ? "rows" : "shards");
  for (std::size_t i = 0; i < snapshot.shards.size() && !stop_by_signal(); ++i) {
    const std::optional<ShardReader> shard = open_shard(store, snapshot.shards[i], i, damage);
    if (shard && deep) check_rows(*shard, i, damage, progress);
    if (!deep) progress.add(1);
  }
}

int run_verify(const VerifyFlags& flags) {
  const Store store = Store::open(flags.store);
  const Snapshot snapshot = chosen_snapshot(store, flags.snapshot);
  (void)store.ledger(snapshot.generation);  // throws when it is damaged
  DamageList damage;
  check(store, snapshot, flags.deep, damage);
  if (stop_by_signal()) return 128 + stop_by_signal().signal();
  if (!damage.found().empty()) {
    std::string text = "snapshot " + std::to_string(snapshot.generation) + " is damaged in " +
                       std::to_string(damage.found().size()) + " places:";
    for (const auto& [place, message] : damage.found()) text += "\n  " + message;
    throw Error(text + "\nrestore these files, or make them anew with build --rebuild", Exit::data);
  }
  std::cout << store.folder().string() << ": snapshot " << snapshot.generation
            << " is whole: " << snapshot.shards.size() << " shards"
            << (flags.deep ? ", every row" : "; --deep checks the pixels of every row too") << '\n';
  return 0;
}

}  // namespace

Command verify_command() {
  FlagTable<VerifyFlags> table;
  table.add({store_flag<VerifyFlags>(), snapshot_flag<VerifyFlags>(),
             Flag<VerifyFlags>("deep", &VerifyFlags::deep, "all row checksums, pixels included")});
  return command("verify", "checks ledger and shards of a snapshot; --deep: every row", table,
                 run_verify);
}

}  // namespace letterpress
