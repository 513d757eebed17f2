#include "preprocess/build/channel_mean.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <unordered_map>

#include "letterpress/base/error.h"
#include "preprocess/build/channel_sums.h"

namespace letterpress {
namespace {

using Sums = std::array<std::int64_t, 3>;  // whole numbers, so that no order of adding and taking away shows

Sums sums_of_row(const ShardReader& shard, std::int64_t row, bool verified) {
  std::vector<std::uint8_t> image(static_cast<std::size_t>(shard.image_bytes()));
  shard.read_images(row, 1, image.data());
  if (verified) shard.verify_row(row, image);
  Sums sums{};
  const std::array<std::uint64_t, 3> counted = sum_channels(image);
  for (std::size_t c = 0; c < 3; ++c) sums[c] = static_cast<std::int64_t>(counted[c]);
  return sums;
}

Sums sums_of_living(const ShardReader& shard, const std::vector<std::int64_t>& dead) {
  Sums sums{};
  for (std::int64_t row = 0; row < shard.rows(); ++row) {
    if (std::ranges::binary_search(dead, row)) continue;
    const Sums counted = sums_of_row(shard, row, false);
    for (std::size_t c = 0; c < 3; ++c) sums[c] += counted[c];
  }
  return sums;
}

// Sums that were counted before, and the rows that are not in them, ascending.
struct CountedShard {
  Sums sums{};
  std::vector<std::int64_t> dead{};
};

// dead: rows that are to be left out now, those of `counted` among them.
Sums less_newly_dead(const ShardReader& shard, const CountedShard& counted, const std::vector<std::int64_t>& dead) {
  std::vector<std::int64_t> newly_dead;
  std::ranges::set_difference(dead, counted.dead, std::back_inserter(newly_dead));
  Sums sums = counted.sums;
  for (const std::int64_t row : newly_dead) {
    const Sums gone = sums_of_row(shard, row, true);
    for (std::size_t c = 0; c < 3; ++c) sums[c] -= gone[c];
  }
  return sums;
}

using CountedShards = std::unordered_map<Hash128, CountedShard>;

CountedShards counted_before(const std::vector<ShardRecord>& records, const std::optional<Previous>& previous) {
  CountedShards counted;
  for (const ShardRecord& record : records) {
    CountedShard& shard = counted[record.digest];
    for (std::size_t c = 0; c < 3; ++c) shard.sums[c] = std::llround(record.channel_sum[c]);
    for (const ShardRecord::Dead& dead : record.dead) shard.dead.push_back(dead.row);
  }
  if (!previous) return counted;
  for (const SnapshotShard& shard : previous->snapshot.shards) {
    if (shard.channel_sum.size() != 3) continue;
    CountedShard kept{.sums = {}, .dead = shard.dead};
    std::ranges::copy(shard.channel_sum, kept.sums.begin());
    counted.emplace(shard.digest, std::move(kept));
  }
  return counted;
}

Sums sums_of(const ShardReader& shard, const SnapshotShard& described, const CountedShards& counted) {
  const auto before = counted.find(described.digest);
  if (before == counted.end() || !std::ranges::includes(described.dead, before->second.dead)) return sums_of_living(shard, described.dead);
  try {
    return less_newly_dead(shard, before->second, described.dead);
  } catch (const Error&) {
    return sums_of_living(shard, described.dead);  // a row that nobody needs any more is no reason to fail
  }
}

}  // namespace

void count_channels(const SnapshotReader& reader, const std::vector<ShardRecord>& records, const std::optional<Previous>& previous,
                    Snapshot& snapshot) {
  const CountedShards counted = counted_before(records, previous);
  Sums all{};
  std::int64_t rows = 0;
  for (std::size_t i = 0; i < snapshot.shards.size(); ++i) {
    SnapshotShard& shard = snapshot.shards[i];
    shard.channel_sum.clear();
    if (shard.augmented || shard.split != "train") continue;
    const Sums sums = sums_of(reader.shard(static_cast<std::int32_t>(i)), shard, counted);
    shard.channel_sum.assign(sums.begin(), sums.end());
    for (std::size_t c = 0; c < 3; ++c) all[c] += sums[c];
    rows += shard.rows - static_cast<std::int64_t>(shard.dead.size());
  }
  const auto pixels = static_cast<double>(rows) * snapshot.identity.side * snapshot.identity.side;
  for (std::size_t c = 0; c < 3; ++c) snapshot.statistics.channel_mean[c] = rows > 0 ? static_cast<double>(all[c]) / pixels : 0;
}

}  // namespace letterpress
