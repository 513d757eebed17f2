#pragma once
#include <cstdint>

#include "trainer/parallel/rank_group.h"

namespace letterpress {

/// Whether the ranks of a run stop, and after which step: all after the same. An answer makes every
/// host wait for all others. Where hosts queue work for devices and get ahead of them, that would
/// keep them in lockstep, so they ask each other only after as many steps as take about `every_s`:
/// those of the slowest host, by its own clock since the question before. A host that gets ahead
/// takes steps faster than its device, for the few it may be ahead, so an interval has at most
/// twice the steps of the one before. One thread; every rank calls the same functions in the same
/// order.
class StopAgreement {
 public:
  /// group: outlives it; null: one process, which agrees with itself. every_s: 0 asks after each
  /// step.
  StopAgreement(RankGroup* group, double every_s) : group_(group), every_s_(every_s) {}

  /// The largest `own` of all ranks after a step at which they ask each other, else 0. own: what
  /// this rank wants, 0 to go on. now_s: seconds of any clock.
  std::int64_t after_step(std::int64_t own, double now_s);
  /// The largest `own` of all ranks.
  std::int64_t now(std::int64_t own) const { return group_ ? group_->all_reduce_max(own) : own; }

 private:
  std::int64_t steps_until_next(double now_s) const;

  RankGroup* group_;
  double every_s_;
  std::int64_t steps_ = 0, next_ = 1;  ///< since they last asked; when they ask again
  double asked_s_ = -1;                ///< -1: never
};

}  // namespace letterpress
