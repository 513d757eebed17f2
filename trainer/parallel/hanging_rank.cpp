#include "trainer/parallel/hanging_rank.h"

#include <algorithm>

namespace letterpress {
namespace {

constexpr double kLongTask = 10;  // deadlines that a long task may take
constexpr double kSlowest =
    3;  // times a rank's longest step: machines are shared, and steps at a larger side take longer

// The host may be steps ahead of its device, or wait for it.
RankActivity activity_of(const RankStatus& status) {
  if (status.activity != RankActivity::in_step && status.activity != RankActivity::on_device)
    return status.activity;
  return status.device == DeviceActivity::waiting ? RankActivity::waiting : RankActivity::in_step;
}

bool hangs(const RankStatus& status, double deadline_s) {
  const RankActivity activity = activity_of(status);
  if (activity == RankActivity::unreported) return false;
  if (status.silent_s > deadline_s) return true;
  if (activity == RankActivity::in_step)
    return status.since_s > std::max(deadline_s, kSlowest * status.longest_s);
  return activity == RankActivity::long_task && status.since_s > kLongTask * deadline_s;
}

}  // namespace

std::optional<int> hanging_rank(const std::vector<RankStatus>& statuses, double deadline_s) {
  std::optional<int> first;
  bool one_waits = false;
  for (std::size_t rank = 0; rank < statuses.size(); ++rank) {
    const RankStatus& status = statuses[rank];
    if (hangs(status, deadline_s)) {
      if (!first) first = static_cast<int>(rank);
    } else if (activity_of(status) == RankActivity::waiting) {
      one_waits = true;
    } else if (status.activity != RankActivity::unreported) {
      return std::nullopt;  // it makes progress
    }
  }
  return one_waits ? first : std::nullopt;
}

std::string describe_hanging(int rank, int world_size, const RankStatus& status) {
  const auto s = static_cast<std::int64_t>(std::max(status.since_s, status.silent_s));
  const std::string when =
      status.step < 0 ? " before its first step" : " in step " + std::to_string(status.step);
  const bool by_device =
      status.device == DeviceActivity::computing && status.since_s > 2 * status.silent_s;
  return "rank " + std::to_string(rank) + " of " + std::to_string(world_size) + " hung" + when +
         (by_device ? ": its device" : ": it") + " made no progress for " + std::to_string(s) +
         " s while the others waited for it";
}

}  // namespace letterpress
