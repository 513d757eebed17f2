#include "trainer/parallel/hanging_rank.h"

#include <algorithm>

namespace letterpress {
namespace {

constexpr double kBusy = 10;  // deadlines that what may take long may take
constexpr double kSlowest =
    3;  // times a rank's longest work: machines are shared, and steps at a larger side take longer

bool hangs(const RankSign& sign, double deadline_s) {
  if (sign.doing == Doing::nothing) return false;
  if (sign.silent_s > deadline_s) return true;
  if (sign.doing == Doing::working)
    return sign.since_s > std::max(deadline_s, kSlowest * sign.longest_s);
  return sign.doing == Doing::busy && sign.since_s > kBusy * deadline_s;
}

}  // namespace

std::optional<int> hanging_rank(const std::vector<RankSign>& signs, double deadline_s) {
  std::optional<int> first;
  bool some_waits = false;
  for (std::size_t rank = 0; rank < signs.size(); ++rank) {
    const RankSign& sign = signs[rank];
    if (hangs(sign, deadline_s)) {
      if (!first) first = static_cast<int>(rank);
    } else if (sign.doing == Doing::waiting) {
      some_waits = true;
    } else if (sign.doing != Doing::nothing) {
      return std::nullopt;  // it gets on
    }
  }
  return some_waits ? first : std::nullopt;
}

}  // namespace letterpress
