#include "trainer/fit/opening/opened_split.h"

#include <algorithm>
#include <set>

#include "letterpress/base/box.h"
#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "letterpress/shards/published_snapshot.h"
#include "trainer/fit/options/fit_options.h"

namespace letterpress {

Snapshot choose_snapshot(const Store& store, const std::string& said,
                         const CheckpointInfo* resumed) {
  const bool by_number = !said.empty() && said != "latest" && said != kFollow;
  const std::optional<std::int64_t> generation =
      by_number ? std::optional<std::int64_t>(std::stoll(said)) : std::nullopt;
  if (!resumed) return published_snapshot(store, generation);
  const std::int64_t begun = resumed->snapshot_generation;
  if (generation && *generation != begun) {
    throw Error({.where = "--snapshot " + said,
                 .what = "the run was begun on snapshot " + std::to_string(begun) +
                         " and its position counts that one's pictures",
                 .fix = "leave --snapshot out, say --snapshot follow, or begin a new run with "
                        "--init"},
                Exit::configuration);
  }
  const std::vector<std::int64_t> there = store.generations();
  if (std::ranges::find(there, begun) == there.end())
    throw Error({.where = store.folder().string(),
                 .what = "has no snapshot " + std::to_string(begun) +
                         " any more, on which the run was begun: refresh or gc removed it, or the "
                         "store was made anew",
                 .fix = "begin a new run with --init"},
                Exit::no_input);
  Snapshot snapshot = store.snapshot(begun);
  if (snapshot.logical_digest.hex() == resumed->snapshot_digest) return snapshot;
  throw Error(
      {.where = store.folder().string(),
       .what = "its snapshot " + std::to_string(begun) + " has digest " +
               snapshot.logical_digest.hex() + ", the run was begun on " + resumed->snapshot_digest,
       .fix = "was the store made anew? begin a new run with --init"},
      Exit::configuration);
}

std::vector<PictureRows> pictures_of(const SnapshotReader& reader, const std::string& split,
                                     const std::string& flag) {
  std::set<std::string> names;
  for (const SnapshotShard& shard : reader.snapshot().shards) names.insert(shard.split);
  if (names.contains(split)) return reader.pictures(split);
  const std::vector<std::string> known(names.begin(), names.end());
  throw Error({.where = "--" + flag, .what = unknown_name("split", split, known)}, Exit::usage);
}

std::vector<PictureRows> some_pictures_of(const Store& store, const SnapshotReader& reader,
                                          const std::string& split) {
  const bool has_some = !reader.snapshot().shards.empty();
  std::vector<PictureRows> pictures;
  if (has_some) pictures = pictures_of(reader, split, "split");
  if (!pictures.empty()) return pictures;
  throw Error({.where = store.snapshot_path(reader.snapshot().generation).string(),
               .what = has_some ? "holds no picture of split '" + split + "'" : "holds no picture",
               .fix = "look at `letterpress-preprocess info`"},
              Exit::no_input);
}

std::vector<PictureRows> val_pictures_of(const SnapshotReader& reader, const std::string& split) {
  if (!split.empty()) return pictures_of(reader, split, "val-split");
  const auto& shards = reader.snapshot().shards;
  const bool known = std::any_of(shards.begin(), shards.end(), [](const SnapshotShard& shard) {
    return shard.split == kDefaultValSplit;
  });
  return known ? reader.pictures(kDefaultValSplit) : std::vector<PictureRows>{};
}

bool have_ground_truth(const SnapshotReader& reader, const std::vector<PictureRows>& pictures) {
  return std::any_of(pictures.begin(), pictures.end(), [&](const PictureRows& picture) {
    const ShardReader& shard = reader.shard(picture.clean.shard);
    const std::int64_t row = picture.clean.row;
    const auto flags = shard.box_flags(row).first(static_cast<std::size_t>(shard.box_count(row)));
    return shard.label(row) >= 0 || std::any_of(flags.begin(), flags.end(), [](std::uint8_t flag) {
             return (flag & kCrowd) == 0;
           });
  });
}

OpenedSplit open_split(const std::filesystem::path& folder, const std::string& snapshot,
                       const std::string& split) {
  Store store = Store::open(folder);
  SnapshotReader reader(store, choose_snapshot(store, snapshot));
  std::vector<PictureRows> pictures = some_pictures_of(store, reader, split);
  return {std::move(store), std::move(reader), std::move(pictures)};
}

}  // namespace letterpress
