#include <iostream>

#include "letterpress/base/error.h"
#include "letterpress/commandline/progress.h"
#include "preprocess/commands/commands.h"
#include "preprocess/pipeline/part.h"
#include "preprocess/upkeep/damage_of_shard.h"

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

struct Verified {
  std::size_t read = 0;  // shards in which every row was looked at
  std::vector<std::string> damage{};
};

Verified check(const Store& store, const Snapshot& snapshot, const VerifyFlags& flags) {
  const bool deep = flags.deep || !flags.subset.empty();
  const Subset subset = parse_subset(flags.subset);
  std::int64_t rows = 0;
  for (const SnapshotShard& shard : snapshot.shards) rows += subset.has(shard) ? shard.rows : 0;
  const auto shards = static_cast<std::int64_t>(snapshot.shards.size());
  Progress progress("verifying", deep ? rows : shards, deep ? "rows" : "shards");
  Verified verified;
  for (const std::string& what : contradictions_in(snapshot))
    verified.damage.push_back(store.snapshot_path(snapshot.generation).string() + ": " + what);
  for (std::size_t i = 0; i < snapshot.shards.size() && !stop_by_signal(); ++i) {
    const bool reads_rows = deep && subset.has(snapshot.shards[i]);
    const auto found = damage_of_shard(
        store, snapshot, i,
        {.rows = reads_rows, .stop = &stop_by_signal(), .row_done = [&] { progress.add(1); }});
    verified.damage.insert(verified.damage.end(), found.begin(), found.end());
    verified.read += reads_rows ? 1 : 0;
    if (!deep) progress.add(1);
  }
  return verified;
}

int run_verify(const VerifyFlags& flags) {
  const Store store = Store::open(flags.store);
  const Snapshot snapshot = chosen_snapshot(store, flags.snapshot);
  (void)store.ledger(snapshot.generation);  // throws when it is damaged
  const Verified verified = check(store, snapshot, flags);
  if (stop_by_signal()) return 128 + stop_by_signal().signal();
  if (!verified.damage.empty()) {
    std::string text = "snapshot " + std::to_string(snapshot.generation) + " is damaged in " +
                       std::to_string(verified.damage.size()) + " places:";
    for (const std::string& message : verified.damage) text += "\n  " + message;
    throw store.unless_removed(
        snapshot.generation,
        Error(text + "\nrestore these files, or make them anew with build --rebuild", Exit::data));
  }
  std::cout << store.folder().string() << ": snapshot " << snapshot.generation
            << " is whole: " << snapshot.shards.size() << " shards"
            << (!flags.subset.empty()
                    ? ", every row in " + std::to_string(verified.read) + " of them"
                : flags.deep ? ", every row"
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
