#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "letterpress/shards/plan.h"

namespace letterpress {

/// A row that is still to be made.
struct RowTask {
  std::int32_t picture = 0;  ///< index into Plan::pictures
  std::int32_t tile = 0, view = 0;
  std::int32_t shard = 0;  ///< position in Plan::shards
  std::int32_t row = 0;
};

/// All rows of one picture that are still to be made.
using Job = std::span<const RowTask>;

/// Ordered by picture. finished: by shard.
std::vector<RowTask> tasks_of(const Plan& plan, const std::vector<bool>& finished);
std::int64_t count_jobs(std::span<const RowTask> tasks);

/// The jobs in as many lanes as threads work at once, and no more than kMostLanes. A thread takes
/// those of its own lane, then what is left of others'. Threads that wrote to one file at the same
/// time would wait for each other: file systems let in one writer at a time. Lanes end where a
/// group of pictures does: a shard belongs to one group.
class Lanes {
 public:
  Lanes(const Plan& plan, std::span<const RowTask> tasks, std::size_t threads);
  /// Empty when there is none left. Not thread-safe.
  Job take(std::size_t thread);

 private:
  static constexpr std::size_t kMostLanes =
      8;  // each has an unfinished clean shard and one of views
  std::vector<std::span<const RowTask>> lanes_;
};

}  // namespace letterpress
