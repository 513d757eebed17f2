#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "letterpress/shards/plan.h"
#include "letterpress/shards/store.h"
#include "preprocess/plan/previous.h"

namespace letterpress {

/// Mean of RGB over the living clean rows of split train, exactly that of a clean build. New shards
/// are known from their records, kept ones from the last snapshot's sums less the rows that have
/// died since, which are read; where these sums are not there (older snapshots) or such a row is
/// damaged, the living rows are read. The shards come one after another.
class ChannelCounter {
 public:
  ChannelCounter(const std::vector<ShardRecord>& records, const std::optional<Previous>& previous);

  /// Sets described.channel_sum, where the shard holds such rows. Throws Error naming a row that is
  /// read and damaged.
  void add(const ShardReader& shard, SnapshotShard& described);
  std::array<double, 3> mean() const;  ///< 0 0 0 without rows

 private:
  using Sums = std::array<std::int64_t,
                          3>;  // whole numbers, so that no order of adding and taking away shows
  // Sums that were counted before, and the rows that are not in them, ascending.
  struct CountedShard {
    Sums sums{};
    std::vector<std::int64_t> dead{};
  };

  static Sums less_newly_dead(const ShardReader& shard, const CountedShard& counted,
                              const std::vector<std::int64_t>& dead);
  Sums sums_of(const ShardReader& shard, const SnapshotShard& described) const;

  std::unordered_map<Hash128, CountedShard> counted_;
  Sums all_{};
  std::int64_t pixels_ = 0;
};

}  // namespace letterpress
