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
#include "preprocess/pipeline/part.h"

namespace letterpress {
namespace {

struct VerifyFlags {
  std::string store;
  std::int64_t snapshot = 0;
  bool deep = false;
  std::string subset;
};

// One in n of the shards, by their digests: a shard stays in its subset whatever else comes or
// goes.
struct Subset {
  std::uint64_t index = 0, n = 1;  // index: from 0
  bool has(const SnapshotShard& shard) const { return shard.digest.prefix() % n == index; }
};

Subset parse_subset(const std::string& text) {
  if (text.empty()) return {};
  const auto subset = parse_one_of(text);
  if (subset && subset->first >= 1 && subset->first <= subset->second)
    return {static_cast<std::uint64_t>(subset->first - 1),
            static_cast<std::uint64_t>(subset->second)};
  throw Error("--subset is '" + text + "', must be i/n with i from 1 to n, for instance 3/30",
              Exit::usage);
}

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

// Returns in how many shards every row was looked at.
std::size_t check(const Store& store, const Snapshot& snapshot, const VerifyFlags& flags,
                  DamageList& damage) {
  const bool deep = flags.deep || !flags.subset.empty();
  const Subset subset = parse_subset(flags.subset);
  std::int64_t rows = 0;
  for (const SnapshotShard& shard : snapshot.shards) rows += subset.has(shard) ? shard.rows : 0;
  const auto shards = static_cast<std::int64_t>(snapshot.shards.size());
  Progress progress("verifying", deep ? rows : shards, deep ? "rows" : "shards");
  std::size_t read = 0;
  for (std::size_t i = 0; i < snapshot.shards.size() && !stop_by_signal(); ++i) {
    const std::optional<ShardReader> shard = open_shard(store, snapshot.shards[i], i, damage);
    if (!deep) progress.add(1);
    if (!shard || !deep || !subset.has(snapshot.shards[i])) continue;
    check_rows(*shard, i, damage, progress);
    ++read;
  }
  return read;
}

int run_verify(const VerifyFlags& flags) {
  const Store store = Store::open(flags.store);
  const Snapshot snapshot = chosen_snapshot(store, flags.snapshot);
  (void)store.ledger(snapshot.generation);  // throws when it is damaged
  DamageList damage;
  const std::size_t read = check(store, snapshot, flags, damage);
  if (stop_by_signal()) return 128 + stop_by_signal().signal();
  if (!damage.found().empty()) {
    std::string text = "snapshot " + std::to_string(snapshot.generation) + " is damaged in " +
                       std::to_string(damage.found().size()) + " places:";
    for (const auto& [place, message] : damage.found()) text += "\n  " + message;
    throw Error(text + "\nrestore these files, or make them anew with build --rebuild", Exit::data);
  }
  std::cout << store.folder().string() << ": snapshot " << snapshot.generation
            << " is whole: " << snapshot.shards.size() << " shards"
            << (!flags.subset.empty() ? ", every row in " + std::to_string(read) + " of them"
                : flags.deep          ? ", every row"
                                      : "; --deep checks the pixels of every row too")
            << '\n';
  return 0;
}

}  // namespace

Command verify_command() {
  FlagTable<VerifyFlags> table;
  table.add({store_flag<VerifyFlags>(), snapshot_flag<VerifyFlags>(),
             Flag<VerifyFlags>("deep", &VerifyFlags::deep, "all row checksums, pixels included"),
             Flag<VerifyFlags>("subset", &VerifyFlags::subset,
                               "i/n, i from 1 to n: --deep, but of one in n of the shards, so that "
                               "n nights have read all of them")
                 .check([](const VerifyFlags& flags) { (void)parse_subset(flags.subset); })});
  return command("verify", "checks ledger and shards of a snapshot; --deep: every row", table,
                 run_verify);
}

}  // namespace letterpress
