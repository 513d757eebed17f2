#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "letterpress/commandline/progress.h"
#include "preprocess/commands/commands.h"

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

std::string text_of(const Store& store, const Snapshot& snapshot) {
  std::string generations;
  for (const std::int64_t generation : store.generations()) generations += fmt::format(" {}", generation);
  const BuildIdentity& identity = snapshot.identity;
  std::string text = fmt::format("store {}\nsnapshots{}; this is {}, by {}\n", store.folder().string(), generations, snapshot.generation,
                                 snapshot.producer);
  text += fmt::format("side {}, recipe {} (seed {}, draw {}), {} views\n", identity.side, identity.recipe_name, identity.seed,
                      identity.draw, snapshot.views);
  for (const auto& [name, split] : count_splits(snapshot)) {
    text += fmt::format("split {}: {} pictures, {} augmented rows, {} dead rows\n", name, split.pictures, split.augmented, split.dead);
  }
  text += fmt::format("{} shards, {}\n", snapshot.shards.size(), bytes_text(static_cast<double>(bytes_of(store, snapshot))));
  text += accounting_text(snapshot.accounting);
  text += fmt::format("{} classes; up to {} boxes per row\n", snapshot.classes.size(), snapshot.statistics.max_boxes);
  for (std::size_t i = 0; i < snapshot.classes.size(); ++i) {
    const auto count = snapshot.statistics.boxes_per_class.find(snapshot.classes[i]);
    const std::int64_t boxes = count == snapshot.statistics.boxes_per_class.end() ? 0 : count->second;
    text += fmt::format("  {:3d} {:<24} {:9d} boxes\n", i, snapshot.classes[i], boxes);
  }
  text += "anchors";
  for (const auto& [width, height] : snapshot.statistics.anchors) text += fmt::format(" {:.1f}x{:.1f}", width, height);
  const auto& mean = snapshot.statistics.channel_mean;
  text += fmt::format("\nchannel mean {:.2f} {:.2f} {:.2f}\nlogical digest {}\n", mean[0], mean[1], mean[2], snapshot.logical_digest.hex());
  return text + "recipe " + identity.recipe_json + "\nconfiguration " + snapshot.configuration_json + "\n";
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
  std::cout << text_of(store, snapshot);
  if (flags.json) std::cout << json_of(store, snapshot) << '\n';
  return 0;
}

}  // namespace

Command info_command() {
  return {"info", "says what a store holds", [](CLI::App& app) {
            auto flags = std::make_shared<InfoFlags>();
            app.add_option("--store", flags->store, "folder of the shards")->required();
            app.add_option("--snapshot", flags->snapshot, "generation; 0: the newest");
            app.add_flag("--json", flags->json, "the snapshot as JSON in the last line");
            return [=] { return run_info(*flags); };
          }};
}

}  // namespace letterpress
