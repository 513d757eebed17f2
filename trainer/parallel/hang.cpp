#include "trainer/parallel/hang.h"

#include <algorithm>

namespace letterpress {
namespace {

constexpr double kLongTask = 10;  // deadlines that a long task may take
constexpr double kSilent = 0.25;  // deadlines that a rank that lives is silent at most
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

// A rank that has ended, or has not begun, is none to wait with.
std::optional<Hang> all_wait(const std::vector<RankStatus>& statuses, double deadline_s) {
  if (statuses.empty() || !std::all_of(statuses.begin(), statuses.end(), waits_for_others))
    return std::nullopt;
  const RankStatus& last = *std::min_element(
      statuses.begin(), statuses.end(),
      [](const RankStatus& a, const RankStatus& b) { return a.since_s < b.since_s; });
  // Else one was stopped while it waited, and is to blame as soon as it is silent for too long.
  if (std::any_of(statuses.begin(), statuses.end(),
                  [&](const RankStatus& status) { return status.silent_s > kSilent * deadline_s; }))
    return std::nullopt;
  // The first calls of all connect the ranks, which may take long.
  const double limit_s = last.step < 1 ? kLongTask * deadline_s : deadline_s;
  if (last.since_s <= limit_s) return std::nullopt;
  return Hang{.status = last};
}

}  // namespace

bool waits_for_others(const RankStatus& status) {
  return activity_of(status) == RankActivity::waiting;
}

std::optional<Hang> find_hang(const std::vector<RankStatus>& statuses, double deadline_s) {
  std::optional<int> first;
  bool one_waits = false;
  for (std::size_t rank = 0; rank < statuses.size(); ++rank) {
    const RankStatus& status = statuses[rank];
    if (hangs(status, deadline_s)) {
      if (!first) first = static_cast<int>(rank);
    } else if (waits_for_others(status)) {
      one_waits = true;
    } else if (status.activity != RankActivity::unreported) {
      return std::nullopt;  // it makes progress
    }
  }
  if (!one_waits) return std::nullopt;
  if (!first) return all_wait(statuses, deadline_s);
  return Hang{.rank = first, .status = statuses[static_cast<std::size_t>(*first)]};
}

std::string describe(const Hang& hang, int world_size) {
  const RankStatus& status = hang.status;
  const auto s =
      std::to_string(static_cast<std::int64_t>(std::max(status.since_s, status.silent_s)));
  const std::string when = status.step < 0
                               ? (hang.rank ? " before its first step" : " before the first step")
                               : " in step " + std::to_string(status.step);
  if (!hang.rank)
    return "all " + std::to_string(world_size) + " ranks wait for each other" + when +
           ": no collective call has ended for " + s + " s";
  const bool by_device =
      status.device == DeviceActivity::computing && status.since_s > 2 * status.silent_s;
  return "rank " + std::to_string(*hang.rank) + " of " + std::to_string(world_size) + " hung" +
         when + (by_device ? ": its device" : ": it") + " made no progress for " + s +
         " s while the others waited for it";
}

std::string suspicion(const Hang& hang) {
  return hang.rank ? "was its process stopped, or does its device or disk hang? `dmesg` tells"
                   : "does the network between them hang, or do their programs or flags differ?";
}

}  // namespace letterpress
