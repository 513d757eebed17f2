#include "trainer/parallel/stop_agreement.h"

#include <algorithm>
#include <vector>

namespace letterpress {

std::int64_t StopAgreement::after_step(std::int64_t own, double now_s) {
  if (!group_) return own;
  if (++steps_ < next_) return 0;
  // The slowest rank says when.
  const std::vector<std::int64_t> agreed =
      group_->all_reduce_max(std::vector{own, -steps_until_next(now_s)});
  next_ = -agreed[1];
  steps_ = 0;
  asked_s_ = now_s;
  return agreed[0];
}

std::int64_t StopAgreement::steps_until_next(double now_s) const {
  constexpr double kMost = 1000;
  const double step_s = (now_s - asked_s_) / static_cast<double>(steps_);
  if (every_s_ <= 0 || asked_s_ < 0 || step_s <= 0) return 1;
  // A host that is not far ahead yet only launches, which is soon done: two short steps may say
  // little about the next fifty, but they do about the next four.
  const double most = std::min(2 * static_cast<double>(steps_), kMost);
  return static_cast<std::int64_t>(std::clamp(every_s_ / step_s, 1.0, most));
}

}  // namespace letterpress
