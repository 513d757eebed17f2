#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/shards/open_shard.h"
#include "letterpress/shards/store.h"

namespace letterpress {
namespace {

constexpr rlim_t kOtherDescriptors = 256;

// One descriptor per shard: a large store has more than the usual soft limit of 1024.
void allow_descriptors(std::size_t shards) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= shards + kOtherDescriptors) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, shards + kOtherDescriptors);
  setrlimit(RLIMIT_NOFILE, &limit);
}

void check_shape(const ShardReader& shard, const SnapshotShard& wanted, const Snapshot& snapshot) {
  const bool fits = shard.rows() == wanted.rows && shard.spec().max_boxes == wanted.max_boxes &&
                    shard.spec().side == snapshot.identity.side;
  if (fits) return;
  throw Error({.where = shard.path().string(),
               .what = "has " + std::to_string(shard.rows()) + " rows of side " +
                       std::to_string(shard.spec().side) + " and " +
                       std::to_string(shard.spec().max_boxes) + " boxes, snapshot " +
                       std::to_string(snapshot.generation) + " says " +
                       std::to_string(wanted.rows) + ", " + std::to_string(snapshot.identity.side) +
                       " and " + std::to_string(wanted.max_boxes)});
}

[[noreturn]] void fail_class(const ShardReader& shard, std::int64_t row, double found,
                             const Snapshot& snapshot) {
  throw Error(
      {.where = shard.path().string(),
       .what = fmt::format("row {} ({}) is of class {}, snapshot {} has {}", row, shard.name(row),
                           found, snapshot.generation, snapshot.classes.size()),
       .fix = "restore shard and snapshot from the same copy"});
}

// Of the rows that are used: whoever counts by class takes them as places in the snapshot's list.
void check_classes(const ShardReader& shard, const SnapshotShard& wanted,
                   const Snapshot& snapshot) {
  const auto classes = static_cast<double>(snapshot.classes.size());
  auto dead = wanted.dead.begin();
  for (std::int64_t row = 0; row < shard.rows(); ++row) {
    if (dead != wanted.dead.end() && *dead == row) {
      ++dead;
      continue;
    }
    if (shard.view(row) < 0) continue;
    if (const std::int32_t label = shard.label(row); label < -1 || label >= classes)
      fail_class(shard, row, label, snapshot);
    const std::span<const float> boxes = shard.boxes(row);
    for (std::size_t i = 0; i < static_cast<std::size_t>(shard.box_count(row)); ++i) {
      const float found = boxes[5 * i + 4];
      if (!(found >= 0 && found < classes) || found != std::floor(found))
        fail_class(shard, row, found, snapshot);
    }
  }
}

[[noreturn]] void fail_unknown_split(const Snapshot& snapshot, const std::string& split) {
  std::set<std::string> known;
  for (const SnapshotShard& shard : snapshot.shards) known.insert(shard.split);
  throw Error(
      Message{.what = fmt::format("snapshot {} has no split '{}'", snapshot.generation, split),
              .fix = fmt::format("there are: {}", fmt::join(known, ", "))},
      Exit::usage);
}

}  // namespace

ShardReader open_shard(const Store& store, const Snapshot& snapshot, std::size_t index) {
  const SnapshotShard& wanted = snapshot.shards.at(index);
  const std::filesystem::path path = store.shard_path(wanted.digest);
  if (!std::filesystem::exists(path)) {
    throw Error({.where = path.string(),
                 .what = "missing, snapshot " + std::to_string(snapshot.generation) + " needs it",
                 .fix = "restore it, or run `letterpress-preprocess build`, which makes it anew"},
                Exit::data);
  }
  ShardReader shard(path);
  check_shape(shard, wanted, snapshot);
  check_classes(shard, wanted, snapshot);
  return shard;
}

SnapshotReader::SnapshotReader(const Store& store, Snapshot snapshot)
    : snapshot_(std::move(snapshot)) {
  allow_descriptors(snapshot_.shards.size());
  shards_.reserve(snapshot_.shards.size());
  try {
    for (std::size_t i = 0; i < snapshot_.shards.size(); ++i)
      shards_.push_back(open_shard(store, snapshot_, i));
  } catch (const Error& error) {
    throw store.unless_removed(snapshot_.generation, error);
  }
}

std::vector<PictureRows> SnapshotReader::pictures(const std::string& split) const {
  using Key = std::pair<Hash128, std::int32_t>;           // picture, tile
  std::map<Key, std::map<std::int32_t, RowPlace>> views;  // by view
  bool known = false;
  for (std::size_t s = 0; s < shards_.size(); ++s) {
    if (snapshot_.shards[s].split != split) continue;
    known = true;
    const std::vector<std::int64_t>& dead = snapshot_.shards[s].dead;
    for (std::int64_t row = 0; row < shards_[s].rows(); ++row) {
      if (shards_[s].view(row) < 0 || std::binary_search(dead.begin(), dead.end(), row)) continue;
      const Key key{shards_[s].source_hash(row), shards_[s].tile(row)};
      views[key][shards_[s].view(row)] = {static_cast<std::int32_t>(s), row};
    }
  }
  if (!known) fail_unknown_split(snapshot_, split);
  std::vector<PictureRows> pictures;
  for (const auto& [key, rows] : views) {
    if (!rows.contains(0)) continue;
    PictureRows& picture = pictures.emplace_back(PictureRows{.picture_id = key.first.prefix(),
                                                             .tile = key.second,
                                                             .clean = rows.at(0),
                                                             .augmented = {}});
    for (auto row = std::next(rows.begin()); row != rows.end(); ++row)
      picture.augmented.push_back(row->second);
  }
  return pictures;
}

}  // namespace letterpress
