#include "preprocess/reduce/channel_mean.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "letterpress/base/error.h"
#include "preprocess/map/channel_sums.h"

namespace letterpress {
namespace {

using Sums = std::array<std::int64_t, 3>;

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

}  // namespace

ChannelCounter::ChannelCounter(const std::vector<ShardRecord>& records,
                               const std::optional<Previous>& previous) {
  for (const ShardRecord& record : records) {
    CountedShard& shard = counted_[record.digest];
    for (std::size_t c = 0; c < 3; ++c) shard.sums[c] = std::llround(record.channel_sum[c]);
    for (const ShardRecord::Dead& dead : record.dead) shard.dead.push_back(dead.row);
  }
  if (!previous) return;
  for (const SnapshotShard& shard : previous->snapshot.shards) {
    if (shard.channel_sum.size() != 3) continue;
    CountedShard kept{.sums = {}, .dead = shard.dead};
    std::ranges::copy(shard.channel_sum, kept.sums.begin());
    counted_.emplace(shard.digest, std::move(kept));
  }
}

// dead: rows that are to be left out now, those of `counted` among them.
Sums ChannelCounter::less_newly_dead(const ShardReader& shard, const CountedShard& counted,
                                     const std::vector<std::int64_t>& dead) {
  std::vector<std::int64_t> newly_dead;
  std::ranges::set_difference(dead, counted.dead, std::back_inserter(newly_dead));
  Sums sums = counted.sums;
  for (const std::int64_t row : newly_dead) {
    const Sums gone = sums_of_row(shard, row, true);
    for (std::size_t c = 0; c < 3; ++c) sums[c] -= gone[c];
  }
  return sums;
}

Sums ChannelCounter::sums_of(const ShardReader& shard, const SnapshotShard& described) const {
  const auto before = counted_.find(described.digest);
  if (before == counted_.end() || !std::ranges::includes(described.dead, before->second.dead))
    return sums_of_living(shard, described.dead);
  try {
    return less_newly_dead(shard, before->second, described.dead);
  } catch (const Error&) {
    return sums_of_living(shard,
                          described.dead);  // an unused row is not a reason to fail
  }
}

void ChannelCounter::add(const ShardReader& shard, SnapshotShard& described) {
  described.channel_sum.clear();
  if (described.augmented || described.split != "train") return;
  const Sums sums = sums_of(shard, described);
  described.channel_sum.assign(sums.begin(), sums.end());
  for (std::size_t c = 0; c < 3; ++c) all_[c] += sums[c];
  pixels_ += (described.rows - static_cast<std::int64_t>(described.dead.size())) *
             (shard.image_bytes() / 3);
}

std::array<double, 3> ChannelCounter::mean() const {
  std::array<double, 3> mean{};
  for (std::size_t c = 0; c < 3 && pixels_ > 0; ++c)
    mean[c] = static_cast<double>(all_[c]) / static_cast<double>(pixels_);
  return mean;
}

}  // namespace letterpress
