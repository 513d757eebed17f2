#include "preprocess/map/row_tasks.h"

#include <algorithm>
#include <tuple>

namespace letterpress {
namespace {

// The job that begins with `rest`; empty after the last.
Job first_job(std::span<const RowTask> rest) {
  const auto end = std::ranges::find_if(
      rest, [&](const RowTask& task) { return task.picture != rest.front().picture; });
  return rest.first(static_cast<std::size_t>(end - rest.begin()));
}

}  // namespace

std::vector<RowTask> tasks_of(const Plan& plan, const std::vector<bool>& finished) {
  std::vector<RowTask> tasks;
  std::size_t rows = 0;
  for (std::size_t s = 0; s < plan.shards.size(); ++s)
    rows += finished[s] ? 0 : plan.shards[s].row_picture.size();
  tasks.reserve(rows);
  for (std::size_t s = 0; s < plan.shards.size(); ++s) {
    if (finished[s]) continue;
    const PlannedShard& shard = plan.shards[s];
    for (std::size_t row = 0; row < shard.row_picture.size(); ++row) {
      tasks.push_back({shard.row_picture[row], shard.tile(row), shard.row_view[row],
                       static_cast<std::int32_t>(s), static_cast<std::int32_t>(row)});
    }
  }
  std::ranges::sort(tasks, {}, [](const RowTask& task) {
    return std::tuple(task.picture, task.shard, task.row);
  });
  return tasks;
}

std::int64_t count_jobs(std::span<const RowTask> tasks) {
  std::int64_t n = 0;
  for (std::span<const RowTask> rest = tasks; !rest.empty(); ++n)
    rest = rest.subspan(first_job(rest).size());
  return n;
}

Lanes::Lanes(const Plan& plan, std::span<const RowTask> tasks, std::size_t threads) {
  const auto group = [&](const RowTask& task) {
    return plan.shards[static_cast<std::size_t>(task.shard)].group;
  };
  for (std::size_t left = std::min(threads, kMostLanes); left > 0; --left) {
    std::size_t size = tasks.size() / left;
    while (size > 0 && size < tasks.size() &&
           (tasks[size].picture == tasks[size - 1].picture ||
            group(tasks[size]) == group(tasks[size - 1])))
      ++size;
    lanes_.push_back(tasks.first(size));
    tasks = tasks.subspan(size);
  }
}

Job Lanes::take(std::size_t thread) {
  std::span<const RowTask>* lane = &lanes_[thread % lanes_.size()];
  if (lane->empty())
    lane = &*std::ranges::max_element(lanes_, {}, [](const auto& rest) { return rest.size(); });
  const Job job = first_job(*lane);
  *lane = lane->subspan(job.size());
  return job;
}

}  // namespace letterpress
