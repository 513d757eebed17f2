#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "letterpress/base/bytes_text.h"
#include "letterpress/shards/tiles.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/text.h"
#include "preprocess/plan/guards.h"

namespace letterpress {
namespace {

struct InfoFlags {
  std::string store;
  std::int64_t snapshot = 0;
  bool json = false;
};

struct SplitCounts {
  std::int64_t pictures = 0, augmented = 0, dead = 0;
};

std::map<std::string, SplitCounts> count_splits(const Snapshot& snapshot) {
  std::map<std::string, SplitCounts> splits;
  for (const SnapshotShard& shard : snapshot.shards) {
    const auto dead = static_cast<std::int64_t>(shard.dead.size());
    SplitCounts& split = splits[shard.split];
    (shard.augmented ? split.augmented : split.pictures) += shard.rows - dead;
    split.dead += dead;
  }
  return splits;
}

std::int64_t bytes_of(const Store& store, const Snapshot& snapshot) {
  std::int64_t bytes = 0;
  for (const SnapshotShard& shard : snapshot.shards) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(store.shard_path(shard.digest), missing);
    if (!missing) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

// "3 shards", "3 shards (2 compressed: deflate)".
std::string shards_text(const std::vector<SnapshotShard>& shards) {
  const auto is_compressed = [](const SnapshotShard& shard) {
    return shard.compression != Compression::none;
  };
  const auto compressed = std::count_if(shards.begin(), shards.end(), is_compressed);
  return joined(shards.size(), " shards",
                compressed > 0 ? joined(" (", compressed, " compressed: deflate)") : "");
}

std::int64_t count_of(const std::map<std::string, std::int64_t>& counts, const std::string& name) {
  const auto place = counts.find(name);
  return place == counts.end() ? 0 : place->second;
}

std::string description(const Store& store, const Snapshot& snapshot) {
  std::string generations;
  for (const std::int64_t generation : store.generations()) generations += joined(" ", generation);
  const BuildIdentity& identity = snapshot.identity;
  std::string text = joined("store ", store.folder().string(), "\nsnapshots", generations,
                            "; this is ", snapshot.generation, ", by ", snapshot.producer, "\n");
  text += joined("side ", identity.side, ", recipe ", identity.recipe_name, " (seed ",
                 identity.seed, ", draw ", identity.draw, "), ", snapshot.views, " views\n");
  if (const std::vector<std::uint64_t>& times = identity.redrawn; !times.empty())
    text += joined("views drawn anew alone: ",
                   std::accumulate(times.begin(), times.end(), std::uint64_t{0}), " times\n");
  if (const auto tiles = tile_rule_of_recipe(identity.recipe_json)) {
    text += joined("tiles of ", identity.side, ", overlap ", percent_text(tiles->overlap),
                   ", scale ", tiles->scale, ", ", percent_text(tiles->background),
                   " of the train tiles without a box\n");
  }
  for (const auto& [name, split] : count_splits(snapshot)) {
    text += joined("split ", name, ": ", split.pictures,
                   snapshot.accounting.tiles ? " tiles, " : " pictures, ", split.augmented,
                   " augmented rows, ", split.dead, " dead rows\n");
  }
  text += joined(shards_text(snapshot.shards), ", ",
                 bytes_text(static_cast<double>(bytes_of(store, snapshot))), "\n");
  text += accounting_text(snapshot.accounting);
  text += joined(snapshot.classes.size(), " classes; up to ", snapshot.statistics.max_boxes,
                 " boxes per row\n");
  const bool labelled = !snapshot.statistics.pictures_per_class.empty();
  const auto& counts =
      labelled ? snapshot.statistics.pictures_per_class : snapshot.statistics.boxes_per_class;
  for (std::size_t i = 0; i < snapshot.classes.size(); ++i) {
    text += joined("  ", std::setw(3), i, " ", std::left, std::setw(24), snapshot.classes[i], " ",
                   std::right, std::setw(9), count_of(counts, snapshot.classes[i]),
                   labelled ? " pictures\n" : " boxes\n");
  }
  if (!snapshot.statistics.anchors.empty()) text += "anchors";
  for (const auto& [width, height] : snapshot.statistics.anchors)
    text += joined(std::fixed, std::setprecision(1), " ", width, "x", height);
  const auto& mean = snapshot.statistics.channel_mean;
  text += joined(std::fixed, std::setprecision(2), snapshot.statistics.anchors.empty() ? "" : "\n",
                 "channel mean ", mean[0], " ", mean[1], " ", mean[2], "\nlogical digest ",
                 snapshot.logical_digest.hex(), "\n");
  return text + "recipe " + identity.recipe_json + "\nconfiguration " +
         snapshot.configuration_json + "\n";
}

std::string json_of(const Store& store, const Snapshot& snapshot) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(to_json(snapshot));
  json["generations"] = store.generations();
  json["bytes"] = bytes_of(store, snapshot);
  return json.dump();
}

int run_info(const InfoFlags& flags) {
  const Store store = Store::open(flags.store);
  const Snapshot snapshot = chosen_snapshot(store, flags.snapshot);
  std::cout << description(store, snapshot);
  if (flags.json) std::cout << json_of(store, snapshot) << '\n';
  return 0;
}

}  // namespace

Command info_command() {
  FlagTable<InfoFlags> table;
  table.add({store_flag<InfoFlags>(), snapshot_flag<InfoFlags>(),
             json_flag<InfoFlags>("the snapshot as JSON in the last line")});
  return command("info", "says what a store holds", table, run_info);
}

}  // namespace letterpress
